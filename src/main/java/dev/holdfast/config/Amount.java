package dev.holdfast.config;

import io.quarkus.runtime.configuration.DurationConverter;
import java.time.Duration;
import org.eclipse.microprofile.config.spi.Converter;

/**
 * How a setting is read that cannot be less than nothing. Elsewhere {@code -1} often means no limit; here it would have
 * had all ended tasks forgotten.
 */
public final class Amount {
    private Amount() {}

    /** A number of things or bytes. */
    public static final class Whole implements Converter<Long> {
        @Override
        public Long convert(String value) {
            try {
                long number = Long.parseLong(value.strip());
                if (number >= 0) {
                    return number;
                }
            } catch (NumberFormatException none) {
                // Told below.
            }
            throw new IllegalArgumentException("it is a whole number, 0 or more");
        }
    }

    /** How long something takes or holds; all can count it in nanoseconds. */
    public static final class Time implements Converter<Duration> {
        private static final Duration CENTURY = Duration.ofDays(36_500);

        @Override
        public Duration convert(String value) {
            Duration time = new DurationConverter().convert(value);
            if (time == null || time.isNegative() || time.compareTo(CENTURY) > 0) {
                throw new IllegalArgumentException("it is a time such as 90s, 24h or 7d, from 0 to 36500d");
            }
            return time;
        }
    }
}
