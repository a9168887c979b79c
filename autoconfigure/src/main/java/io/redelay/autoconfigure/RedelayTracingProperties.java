package io.redelay.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of traces.
 *
 * @param claims Whether each claim that brought messages has a span, in a trace of its
 * own.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.tracing")
record RedelayTracingProperties(@DefaultValue("false") boolean claims) {

}
