package dev.holdfast.cli.terminal;

import java.lang.reflect.Proxy;

/** Signals, ^C for one. The JVM has no other door to them than a class that the compiler warns of. */
public final class Interrupts {
    private Interrupts() {}

    /**
     * Runs {@code handler} at each such signal, in place of what the JVM does; where that cannot be had, nothing
     * changes.
     *
     * @param name without {@code SIG}
     */
    public static void handle(String name, Runnable handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> door = Class.forName("sun.misc.SignalHandler");
            Object ours =
                    Proxy.newProxyInstance(door.getClassLoader(), new Class<?>[] {door}, (proxy, method, arguments) -> {
                        switch (method.getName()) {
                            case "handle" -> handler.run();
                            case "hashCode" -> {
                                return System.identityHashCode(proxy);
                            }
                            default -> {}
                        }
                        return null;
                    });
            Object given = signal.getConstructor(String.class).newInstance(name);
            signal.getMethod("handle", signal, door).invoke(null, given, ours);
        } catch (ReflectiveOperationException | IllegalArgumentException none) {
            Page.note("SIG" + name + " cannot be caught: " + none);
        }
    }
}
