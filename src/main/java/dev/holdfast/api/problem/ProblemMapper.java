package dev.holdfast.api.problem;

import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Whatever a resource throws, as a problem document. */
public final class ProblemMapper {
    @ServerExceptionMapper(Throwable.class)
    public Response map(Throwable failure, HttpHeaders request, UriInfo uri) {
        Problem problem = failure instanceof NotAllowedException
                ? Failures.notAllowed("/" + uri.getPath().replaceFirst("^/", ""))
                : Failures.problem(failure);
        ProblemAnswer answer = ProblemAnswer.of(problem, request.getHeaderString("Accept"));
        Response.ResponseBuilder response =
                Response.status(problem.status()).entity(answer.body()).header("Content-Type", answer.mediaType());
        problem.headers().forEach(response::header);
        return response.build();
    }
}
