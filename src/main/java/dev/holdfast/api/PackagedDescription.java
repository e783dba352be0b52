package dev.holdfast.api;

import io.quarkus.arc.Unremovable;
import io.quarkus.smallrye.openapi.runtime.OpenApiConstants;
import io.quarkus.smallrye.openapi.runtime.OpenApiDocumentService;
import io.smallrye.openapi.runtime.io.Format;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/**
 * Answers {@code /q/openapi} with the files that packaging made. Quarkus would read them at each start, and write them
 * anew: a tenth of the start's processor time, for what few ever ask.
 */
@Alternative
@Unremovable
@Priority(1)
@Singleton
public final class PackagedDescription extends OpenApiDocumentService {
    /** Where Quarkus looks for them next, and finds none. */
    @PostConstruct
    void hide() {
        OpenApiConstants.classLoader = ClassLoader.getPlatformClassLoader();
    }

    @Override
    public byte[] getDocument(String name, Format format) {
        String file = "/" + OpenApiConstants.BASE_NAME + "." + format;
        try (InputStream packaged = PackagedDescription.class.getResourceAsStream(file)) {
            return Objects.requireNonNull(packaged, file).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
