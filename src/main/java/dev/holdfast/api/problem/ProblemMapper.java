package dev.holdfast.api.problem;

import dev.holdfast.runtime.UnknownTasks;
import dev.holdfast.runtime.call.Refusal;
import jakarta.inject.Singleton;
import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Whatever a resource throws, as a problem document. */
@Singleton
public record ProblemMapper(UnknownTasks unknown) {
    @ServerExceptionMapper(Throwable.class)
    public Response map(Throwable failure, ContainerRequestContext request) {
        Problem problem = problem(failure, request);
        ProblemAnswer answer = ProblemAnswer.of(problem, request.getHeaderString("Accept"));
        Response.ResponseBuilder response =
                Response.status(problem.status()).entity(answer.body()).header("Content-Type", answer.mediaType());
        problem.headers().forEach(response::header);
        return response.build();
    }

    /**
     * Where several resources share a beginning of their paths, a method that one lacks comes as a path that is none.
     */
    private Problem problem(Throwable failure, ContainerRequestContext request) {
        String path = "/" + request.getUriInfo().getPath().replaceFirst("^/", "");
        boolean otherMethod = failure instanceof NotAllowedException
                || (failure instanceof NotFoundException && Methods.lack(path, request.getMethod()));
        if (otherMethod) {
            return Failures.notAllowed(path);
        }
        return Failures.problem(failure instanceof Refusal refusal ? unknown.completed(refusal) : failure);
    }
}
