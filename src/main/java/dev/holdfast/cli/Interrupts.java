package dev.holdfast.cli;

import java.lang.reflect.Proxy;

/** ^C. The JVM has no other door to it than a class that the compiler warns of. */
final class Interrupts {
    private Interrupts() {}

    /** Runs {@code handler} at each SIGINT, in place of the end of the JVM; where that cannot be had, nothing changes. */
    static void handle(Runnable handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> door = Class.forName("sun.misc.SignalHandler");
            Object ours =
                    Proxy.newProxyInstance(door.getClassLoader(), new Class<?>[] {door}, (proxy, method, given) -> {
                        switch (method.getName()) {
                            case "handle" -> handler.run();
                            case "hashCode" -> {
                                return System.identityHashCode(proxy);
                            }
                            default -> {}
                        }
                        return null;
                    });
            Object interrupt = signal.getConstructor(String.class).newInstance("INT");
            signal.getMethod("handle", signal, door).invoke(null, interrupt, ours);
        } catch (ReflectiveOperationException | IllegalArgumentException none) {
            Page.note("^C ends this command alone: " + none);
        }
    }
}
