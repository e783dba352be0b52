package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import holdfast.client.ApiClient;
import holdfast.client.ApiException;
import holdfast.client.api.CommandsApi;
import holdfast.client.api.OutputApi;
import holdfast.client.api.TasksApi;
import holdfast.client.api.ToolsApi;
import holdfast.client.model.BatchAnswer;
import holdfast.client.model.BatchCommand;
import holdfast.client.model.CommandAnswer;
import holdfast.client.model.Completed;
import holdfast.client.model.EndedBy;
import holdfast.client.model.OutputPage;
import holdfast.client.model.Problem;
import holdfast.client.model.PromotedToTask;
import holdfast.client.model.StartBatch;
import holdfast.client.model.StartCommand;
import holdfast.client.model.StopOutcome;
import holdfast.client.model.StopTask;
import holdfast.client.model.Task;
import holdfast.client.model.TaskInput;
import holdfast.client.model.TaskStatus;
import holdfast.client.model.WaitCondition;
import holdfast.client.model.WaitFor;
import holdfast.client.model.WaitOutcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that a generator made of the OpenAPI document, as it came out of the generator. */
class ClientIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final ApiClient client = new ApiClient();
    private TasksApi tasks = new TasksApi(client);
    private OutputApi output = new OutputApi(client);

    private CommandsApi commands() {
        return new CommandsApi(client);
    }

    @BeforeEach
    void connect() {
        client.updateBaseUri("http://127.0.0.1:" + SERVER.port());
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + SERVER.token()));
        tasks = new TasksApi(client);
        output = new OutputApi(client);
    }

    private String task(StartCommand command) throws ApiException {
        CommandAnswer answer = commands().startCommand(command.yieldTimeMs(0), null);
        assertThat(answer.getActualInstance()).isInstanceOf(PromotedToTask.class);
        return answer.getPromotedToTask().getTaskHandle().getTaskId();
    }

    @Test
    void aShortCommandIsCompleted() throws ApiException {
        Completed ended = commands()
                .startCommand(new StartCommand().cmd("echo $WHO; exit 3").env(Map.of("WHO", "Ada")), null)
                .getCompleted();
        Completed program = commands()
                .startCommand(new StartCommand().argv(List.of("printf", "%s", "done")), "client-" + System.nanoTime())
                .getCompleted();

        assertThat(ended.getExitStatus()).isEqualTo(3);
        assertThat(ended.getEndedBy()).isEqualTo(EndedBy.EXIT);
        assertThat(ended.getStdoutPreview()).isEqualTo("Ada\n");
        assertThat(ended.getStderrPreview()).isNull();
        assertThat(ended.getLeftRunning()).isNull();
        assertThat(program.getStdoutPreview()).isEqualTo("done");
    }

    @Test
    void aBatchRunsItsItems() throws ApiException {
        BatchAnswer answer = commands()
                .runBatch(new StartBatch()
                        .addItemsItem(new BatchCommand().cmd("echo one"))
                        .addItemsItem(new BatchCommand().argv(List.of("false"))));

        assertThat(answer.getItems())
                .extracting(item -> item.getResult().getExitStatus())
                .containsExactly(0, 1);
    }

    @Test
    void aTaskIsPolledReadFedAndWaitedFor() throws ApiException {
        String id = task(new StartCommand()
                .cmd("echo name?; read name; echo hello, $name; exec sleep 600")
                .acceptsInput(true)
                .putLabelsItem("client", "generated"));

        WaitOutcome asked = tasks.waitFor(new WaitFor().addAnyItem(matching(id, "name\\?")));
        assertThat(asked.getSatisfied()).containsExactly(0);
        assertThat(asked.getTasks().getFirst().getStatus()).isEqualTo(TaskStatus.RUNNING);
        assertThat(tasks.writeInput(id, new TaskInput().text("Ada\n")).getBytesWritten())
                .isEqualTo(4);
        assertThat(tasks.waitFor(new WaitFor().addAllItem(matching(id, "hello")))
                        .getMatches()
                        .getFirst()
                        .getText())
                .isEqualTo("hello, Ada");

        OutputPage page = output.readOutput(id, null, null, null, null, null, null);
        assertThat(page.getText()).isEqualTo("name?\nhello, Ada\n");
        assertThat(page.getEnd()).isFalse();
        assertThat(output.searchOutput("hello", id, "stdout", 1, null, null).getMatches())
                .singleElement()
                .satisfies(match -> assertThat(match.getBefore()).containsExactly("name?"));
        Task task = tasks.getTask(id, true);
        assertThat(task.getLabels()).containsEntry("client", "generated");
        assertThat(task.getProcesses()).isNotEmpty();
        assertThat(tasks.listTasks(null, List.of("client=generated"), null, null, null, null, null)
                        .getTasks())
                .extracting(Task::getTaskId)
                .contains(id);

        StopOutcome stopped = tasks.stopTask(id, new StopTask().force(true));
        assertThat(stopped.getSurvivors()).isEmpty();
        assertThat(stopped.getTask().getEndedBy()).isEqualTo(EndedBy.STOP);
        assertThat(stopped.getTask().getEndedAt()).isNotNull();
        tasks.forgetTask(id);
    }

    private static WaitCondition matching(String id, String pattern) {
        return new WaitCondition()
                .taskId(id)
                .until(WaitCondition.UntilEnum.OUTPUT_MATCHES)
                .pattern(pattern);
    }

    @Test
    void aFailureIsAProblem() {
        Problem problem = problem(() -> tasks.getTask("task_01ARZ3NDEKTSV4RRFFQ69G5FAV", null), 404);
        assertThat(problem.getKind()).isEqualTo("task_not_found");
        assertThat(problem.getRecoveryHint()).isNotBlank();
        assertThat(problem.getDetails()).containsKey("running");
        assertThat(problem(() -> commands().startCommand(new StartCommand(), null), 400)
                        .getDetails())
                .containsKey("parse_error");
    }

    private interface Call {
        void run() throws ApiException;
    }

    private Problem problem(Call call, int status) {
        ApiException failure = catchThrowableOfType(ApiException.class, call::run);
        assertThat(failure.getCode()).isEqualTo(status);
        try {
            return client.getObjectMapper().readValue(failure.getResponseBody(), Problem.class);
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError(failure.getResponseBody(), e);
        }
    }

    @Test
    void aToolIsCalled() throws ApiException {
        ToolsApi tools = new ToolsApi(client);

        assertThat(tools.listTools(null).getTools())
                .extracting(tool -> tool.getName())
                .contains("ExecCommand");
        assertThat(tools.callTool("ExecCommand", Map.of("cmd", "echo hi"), null).getText())
                .contains("hi");
    }
}
