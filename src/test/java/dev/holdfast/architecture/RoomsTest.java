package dev.holdfast.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import dev.holdfast.keeper.screen.Width;
import dev.holdfast.runtime.LiveCommands;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskLifecycle;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which room may use which, and what only one room may do. A room is a package below {@code dev.holdfast}. */
class RoomsTest {
    private static final String HOME = "dev.holdfast.";

    /** Room to the rooms it may use besides itself. */
    private static final Map<String, List<String>> MAY_USE = new TreeMap<>(Map.ofEntries(
            Map.entry("task", List.of()),
            Map.entry("kernel", List.of()),
            Map.entry("config", List.of()),
            Map.entry("keeper", List.of()),
            Map.entry("cli", List.of()),
            Map.entry("duplicate", List.of("task", "config")),
            Map.entry("shell", List.of()),
            Map.entry("policy", List.of("task", "shell", "config")),
            Map.entry("runtime", List.of("task", "duplicate", "policy", "render", "config")),
            Map.entry("host", List.of("runtime", "task", "kernel", "keeper", "config")),
            Map.entry("output", List.of("runtime", "task", "kernel", "config")),
            Map.entry("audit", List.of("runtime", "task", "kernel", "config")),
            Map.entry("store", List.of("runtime", "task", "config")),
            Map.entry("recovery", List.of("runtime", "task", "kernel", "config")),
            Map.entry("render", List.of("task", "shell", "config")),
            Map.entry("message", List.of("runtime", "policy", "render", "task", "config")),
            Map.entry("tool", List.of("runtime", "policy", "message", "render", "task", "shell", "config")),
            Map.entry("api", List.of("runtime", "tool", "policy", "message", "render", "task", "config"))));

    // Of the keeper the texts of the server share one class, which is pure: a line is as wide as on a screen.

    private static final JavaClasses PRODUCT = new ClassFileImporter().importPath(Path.of("target", "classes"));
    private static final JavaClasses TESTS = new ClassFileImporter().importPath(Path.of("target", "test-classes"));

    static Stream<Arguments> rooms() {
        return MAY_USE.entrySet().stream().map(room -> Arguments.of(room.getKey(), room.getValue()));
    }

    @ParameterizedTest
    @MethodSource("rooms")
    void aRoomUsesOnlyTheRoomsItMay(String room, List<String> others) {
        String[] allowed = Stream.concat(Stream.of(room), others.stream())
                .map(name -> HOME + name + "..")
                .toArray(String[]::new);
        check(noClasses()
                .that()
                .resideInAPackage(HOME + room + "..")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.holdfast..")
                        .and(not(resideInAnyPackage(allowed)))
                        .and(not(type(Width.class)))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"host", "runtime", "policy", "shell", "keeper", "cli"})
    void roomsWithinARoomPointNotAtEachOtherInCircles(String room) {
        SlicesRuleDefinition.slices()
                .matching(HOME + room + ".(*)..")
                .should()
                .beFreeOfCycles()
                .check(PRODUCT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy", "shell", "keeper", "cli"})
    void whatARoomStandsOnPointsNotUpAtIt(String room) {
        check(noClasses()
                .that()
                .resideInAPackage(HOME + room + ".*..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(HOME + room));
    }

    /** What all of its rooms stand on: live commands and what becomes of them; under it callers, ports and lines. */
    @Test
    void theUseCasesGroundPointsAtNoneOfTheRoomsAboveIt() {
        String[] ground = {HOME + "runtime.call", HOME + "runtime.port", HOME + "runtime.line"};
        check(noClasses()
                .that()
                .resideInAPackage(HOME + "runtime")
                .should()
                .dependOnClassesThat(resideInAPackage(HOME + "runtime.*..").and(not(resideInAnyPackage(ground)))));
        check(noClasses()
                .that()
                .resideInAnyPackage(ground)
                .should()
                .dependOnClassesThat(resideInAPackage(HOME + "runtime..").and(not(resideInAnyPackage(ground)))));
    }

    @Test
    void everyClassHasARoom() {
        String[] rooms =
                MAY_USE.keySet().stream().map(room -> HOME + room + "..").toArray(String[]::new);
        check(classes().should().resideInAnyPackage(rooms));
    }

    @Test
    void nothingPointsAtTheApi() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("dev.holdfast.api..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.holdfast.api.."));
    }

    @Test
    void theCoreIsPure() {
        check(classes()
                .that()
                .resideInAnyPackage("dev.holdfast.task..", "dev.holdfast.kernel..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", "dev.holdfast.task..", "dev.holdfast.kernel.."));
    }

    @Test
    void theCoreReadsAndWritesNothing() {
        check(noClasses()
                .that()
                .resideInAPackage("dev.holdfast.task..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.(io\\..*|nio\\.file\\.Files|nio\\.channels\\..*|net\\..*|time\\.Clock)"));
    }

    @Test
    void theCoreAsksNoClock() {
        check(noClasses()
                .that()
                .resideInAPackage("dev.holdfast.task..")
                .should()
                .callMethodWhere(target(name("now")).or(target(name("currentTimeMillis")))));
    }

    @Test
    void theKeeperIsAnotherProgram() {
        check(classes()
                .that()
                .resideInAPackage("dev.holdfast.keeper..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "com.pty4j..",
                        "com.sun.jna..",
                        "com.fasterxml.jackson.core..",
                        "org.jspecify..",
                        "dev.holdfast.keeper.."));
    }

    @Test
    void theCommandIsAnotherProgram() {
        check(classes()
                .that()
                .resideInAPackage("dev.holdfast.cli..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "javax.net.ssl..",
                        "picocli..",
                        "com.fasterxml.jackson.core..",
                        "com.fasterxml.jackson.databind..",
                        "org.jspecify..",
                        "dev.holdfast.cli.."));
        check(noClasses()
                .that()
                .resideOutsideOfPackage("dev.holdfast.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.holdfast.cli.."));
    }

    @Test
    void onlyTheClientOfTheKeeperKnowsIt() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("dev.holdfast.keeper..", "dev.holdfast.host.terminal..")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.holdfast.keeper..").and(not(type(Width.class)))));
    }

    /** It closes what is not its own where it gets no descriptor, see Bubblewrap; a command that fails then ends. */
    @Test
    void onlyTheCommandStartsProcessesByJavasOwnMeansAServerABrowserSttyAndAWall() {
        check(noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.holdfast.cli.server.LocalServer")
                .and()
                .doNotHaveFullyQualifiedName("dev.holdfast.cli.ConsoleCommand")
                .and()
                .doNotHaveFullyQualifiedName("dev.holdfast.cli.terminal.OurTerminal")
                .and()
                .doNotHaveFullyQualifiedName("dev.holdfast.cli.LocalProbes")
                .should()
                .dependOnClassesThat(type(ProcessBuilder.class)));
    }

    @Test
    void onlyTheKeeperMakesTerminals() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("dev.holdfast.keeper..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.pty4j.."));
    }

    @Test
    void nobodyExecs() {
        check(noClasses()
                .should()
                .callMethodWhere(target(owner(type(Runtime.class))).and(target(name("exec")))));
    }

    @Test
    void onlyTheRoomsNearTheSystemCallIt() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("dev.holdfast.host..", "dev.holdfast.kernel..", "dev.holdfast.shell..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.foreign.Linker"));
    }

    @Test
    void onlyTheStoreSeesPersistence() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("dev.holdfast.store..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "jakarta.transaction..", "org.flywaydb..", "org.h2..", "java.sql..", "javax.sql.."));
    }

    /** So that whose a task is, is asked in one place. */
    @Test
    void theDoorsFindTasksThroughTheUseCases() {
        check(noClasses()
                .that()
                .resideInAnyPackage("dev.holdfast.api..", "dev.holdfast.tool..", "dev.holdfast.message..")
                .should()
                .callMethodWhere(target(owner(type(TaskStore.class).or(type(LiveCommands.class))))));
    }

    @Test
    void onlyTheLifecycleMakesANewStatus() {
        check(noClasses()
                .that(not(type(TaskLifecycle.class).or(type(Task.class))))
                .should()
                .callMethodWhere(target(owner(type(Task.class)))
                        .and(target(nameMatching("started|promoted|withStatus|ended")))));
    }

    @Test
    void onlyTheCoreAndTheStoreMakeTasks() {
        check(noClasses()
                .that(not(type(Task.class).or(resideInAPackage("dev.holdfast.store.."))))
                .should()
                .callConstructorWhere(target(owner(type(Task.class)))));
    }

    @Test
    void onlyTheUseCasesApplyTheLifecycle() {
        check(noClasses()
                .that(not(resideInAPackage("dev.holdfast.runtime..")).and(not(type(TaskLifecycle.class))))
                .should()
                .callMethodWhere(target(owner(type(TaskLifecycle.class)))));
    }

    @Test
    void dependenciesComeThroughConstructors() {
        for (String annotation :
                List.of("jakarta.inject.Inject", "org.eclipse.microprofile.config.inject.ConfigProperty")) {
            noFields()
                    .should()
                    .beAnnotatedWith(annotation)
                    .allowEmptyShould(true)
                    .check(PRODUCT);
        }
    }

    /** A service that only keeps what it works with is a record, and that is nobody else's all the same. */
    @Test
    void whatAServiceWorksWithIsItsOwn() {
        check(noClasses().should().callMethodWhere(describe("it reads a part of a service elsewhere", call -> {
            JavaClass service = call.getTargetOwner();
            return service.isRecord()
                    && service.isAnnotatedWith(Singleton.class)
                    && service.tryGetField(call.getName()).isPresent()
                    && !call.getOriginOwner().getPackageName().equals(service.getPackageName());
        })));
    }

    @Test
    void testsWaitForConditionsAndNotForTime() {
        noClasses()
                .should()
                .callMethodWhere(target(name("sleep")).and(target(owner(assignableTo(Thread.class)))))
                .orShould()
                .callMethodWhere(target(owner(assignableTo(java.util.concurrent.TimeUnit.class)))
                        .and(target(name("sleep"))))
                .orShould()
                .callMethodWhere(target(owner(assignableTo(java.util.concurrent.locks.LockSupport.class)))
                        .and(target(nameMatching("parkNanos|parkUntil"))))
                .check(TESTS);
    }

    /** The build runs these by their name one after the other: see pom.xml for what two at a time do to each other. */
    @Test
    void aTestThatStartsTheApplicationSaysSoInItsName() {
        classes()
                .that()
                .areAnnotatedWith(QuarkusTest.class)
                .should()
                .haveSimpleNameEndingWith("AppTest")
                .check(TESTS);
    }

    /** A room that does not exist yet breaks no rule. */
    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(PRODUCT);
    }
}
