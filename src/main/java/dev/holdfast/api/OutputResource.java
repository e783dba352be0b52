package dev.holdfast.api;

import static dev.holdfast.api.Reply.JSON;

import dev.holdfast.api.problem.Problem;
import dev.holdfast.api.problem.ProblemException;
import dev.holdfast.api.stream.ByteRange;
import dev.holdfast.api.stream.Download;
import dev.holdfast.message.body.QueryParameters;
import dev.holdfast.message.view.Accept;
import dev.holdfast.message.view.OutputJson;
import dev.holdfast.message.view.SearchJson;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.output.OutputPage;
import dev.holdfast.runtime.output.OutputReads;
import dev.holdfast.runtime.output.OutputSearch;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Reads what a task wrote: as text, as it was written, or as bytes; a range of one stream may be of any size. */
@Path("/v1/tasks/{id}/output")
@RunOnVirtualThread
@Tag(name = "Output")
public final class OutputResource {
    private static final int OK = 200;
    private static final int PARTIAL = 206;

    private final OutputReads reads;
    private final OutputSearch searches;
    private final OutputStore outputs;
    private final Waiting waiting;

    public OutputResource(OutputReads reads, OutputSearch searches, OutputStore outputs, Waiting waiting) {
        this.reads = reads;
        this.searches = searches;
        this.outputs = outputs;
        this.waiting = waiting;
    }

    @GET
    @Operation(summary = "Read its output; reading never consumes it")
    @APIResponse(
            responseCode = "200",
            description = "A page",
            content = {
                @Content(mediaType = JSON, schema = @Schema(implementation = OutputJson.class)),
                @Content(mediaType = "application/octet-stream")
            })
    @APIResponse(responseCode = "206", description = "The range asked for by `Range: bytes=`, of one stream")
    public Response readOutput(@PathParam("id") String path, @Context RoutingContext http) {
        TaskId id = Reply.id(path);
        QueryParameters.Output asked = QueryParameters.output(http.queryParams());
        return waiting.whileThere(http, () -> read(id, asked, http));
    }

    private Response read(TaskId id, QueryParameters.Output asked, RoutingContext http) {
        if (Accept.of(http.request().getHeader("Accept"), Accept.BYTES) == Accept.BYTES) {
            return bytes(id, asked, http);
        }
        if (asked.raw()) {
            OutputPage<byte[]> page = page(id, asked, true);
            String text = new String(page.content(), StandardCharsets.UTF_8); // what is none is U+FFFD
            return Reply.json(OutputJson.of(page, text, asked.streamName()));
        }
        OutputPage<String> page = reads.read(id, asked.stream(), asked.cursor(), asked.maxBytes(), asked.patience());
        return Reply.json(OutputJson.of(page, page.content(), asked.streamName()));
    }

    @GET
    @Path("/search")
    @Operation(
            summary = "Find lines in its output, running or ended, of any size",
            description = "Lines are matched one by one as the text of a preview: escapes removed, overwritten as they"
                    + " last stood. What is no longer kept is passed over. A client that hangs up ends its search.")
    @APIResponse(
            responseCode = "200",
            description = "What was found, in order",
            content = @Content(mediaType = JSON, schema = @Schema(implementation = SearchJson.class)))
    public Response searchOutput(@PathParam("id") String path, @Context RoutingContext http) {
        TaskId id = Reply.id(path);
        QueryParameters.Search asked = QueryParameters.search(http.queryParams());
        return Reply.json(waiting.during(
                http,
                () -> SearchJson.of(searches.search(
                        id,
                        asked.stream(),
                        asked.wanted(),
                        () -> http.response().closed()))));
    }

    private OutputPage<byte[]> page(TaskId id, QueryParameters.Output asked, boolean characters) {
        return reads.readRaw(id, asked.stream(), asked.cursor(), asked.maxBytes(), asked.patience(), characters);
    }

    private Response bytes(TaskId id, QueryParameters.Output asked, RoutingContext http) {
        StreamName stream = asked.stream();
        String range = http.request().getHeader("Range");
        // Nothing here has a validator, so a condition on one never holds and the range does not count; nor of a HEAD.
        boolean counts =
                http.request().method().equals(HttpMethod.GET) && http.request().getHeader("If-Range") == null;
        if (stream != null && range != null && counts) {
            Optional<Response> ranged = ranged(id, stream, range, http);
            if (ranged.isPresent()) {
                return ranged.get();
            }
        }
        OutputPage<byte[]> page = page(id, asked, false);
        Response.ResponseBuilder response = head(OK, page.nextCursor(), page.end())
                .header("Accept-Ranges", stream == null ? "none" : "bytes")
                .header("Content-Length", page.content().length)
                .entity(page.content());
        return page.omitted().isEmpty()
                ? response.build()
                : response.header("Holdfast-Omitted", text(page.omitted())).build();
    }

    private static Response.ResponseBuilder head(int status, String next, boolean end) {
        return Response.status(status)
                .type(MediaType.APPLICATION_OCTET_STREAM_TYPE)
                .header("Holdfast-Next-Cursor", next)
                .header("Holdfast-End", Boolean.toString(end));
    }

    private static String text(List<Gap> gaps) {
        return gaps.stream().map(gap -> gap.from() + "-" + gap.to()).collect(Collectors.joining(", "));
    }

    private Optional<Response> ranged(TaskId id, StreamName stream, String header, RoutingContext http) {
        OutputPage<byte[]> tail = reads.readRaw(id, stream, "-1", 1, Duration.ZERO, false);
        long total = Long.parseLong(tail.nextCursor());
        return ByteRange.parse(header, total).map(asked -> {
            if (asked.empty()) {
                throw new ProblemException(Problem.outsideRange(total));
            }
            ByteRange kept = kept(id, stream, asked);
            long next = kept.last() + 1;
            return head(PARTIAL, Long.toString(next), tail.end() && next == total)
                    .header("Accept-Ranges", "bytes")
                    .header("Content-Range", "bytes " + kept.first() + "-" + kept.last() + "/" + total)
                    .entity(new Download(http.response(), outputs, id, stream, kept))
                    .build();
        });
    }

    /** As much of the range as is kept without a gap. */
    private ByteRange kept(TaskId id, StreamName stream, ByteRange asked) {
        Gap gap = outputs.gap(id, stream);
        if (gap == null || gap.to() <= asked.first() || gap.from() > asked.last()) {
            return asked;
        }
        if (gap.from() <= asked.first()) {
            throw new Refusal(
                    ErrorKind.CURSOR_EXPIRED,
                    "Bytes " + asked.first() + " to " + gap.to() + " were over the output budget and are not kept.",
                    "Go on at byte " + gap.to() + ".",
                    Map.of("omitted", Map.of("from", asked.first(), "to", gap.to())));
        }
        return asked.before(gap.from());
    }
}
