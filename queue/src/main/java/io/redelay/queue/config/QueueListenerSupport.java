package io.redelay.queue.config;

import org.jspecify.annotations.Nullable;

import org.springframework.messaging.converter.MessageConverter;
import org.springframework.validation.Validator;

/**
 * What listeners need in addition to their container factory.
 *
 * @param defaults the configured settings of listeners
 * @param converter converts payloads
 * @param validator validates payloads that ask for it, if there is one
 * @since 0.1.0
 */
public record QueueListenerSupport(ListenerDefaults defaults, MessageConverter converter,
		@Nullable Validator validator) {

}
