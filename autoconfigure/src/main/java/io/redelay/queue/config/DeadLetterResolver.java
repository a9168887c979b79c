package io.redelay.queue.config;

import java.time.Duration;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueName;
import io.redelay.queue.listener.DeadLetterSettings;
import org.jspecify.annotations.Nullable;

/**
 * Works out what becomes of dead messages, and where a listener of them finds them.
 */
final class DeadLetterResolver {

	private static final String SUFFIX = ".dead";

	private final AttributeResolver attributes;

	private final DeadLetterDefaults defaults;

	DeadLetterResolver(AttributeResolver attributes, DeadLetterDefaults defaults) {
		this.attributes = attributes;
		this.defaults = defaults;
	}

	/**
	 * The queue to which the dead messages of another one are brought for a listener of
	 * them, or {@code null} if the listener is none.
	 */
	@Nullable String queue(QueueListenerEndpoint endpoint) {
		String source = source(endpoint);
		if (source == null) {
			return null;
		}
		if (endpoint.annotation().queues().length > 0) {
			throw endpoint.invalid("deadLettersOf", "'queues' is given as well",
					"Leave 'queues' out: the listener listens to the queue '" + source + SUFFIX + "'");
		}
		return checked(endpoint, "deadLettersOf", source + SUFFIX);
	}

	DeadLetterSettings resolve(QueueListenerEndpoint endpoint, String queue) {
		DeadLetterDefaults.OfQueue own = this.defaults.queue(queue);
		long maxCount = (own.maxCount() != null) ? own.maxCount() : this.defaults.maxCount();
		Duration maxAge = (own.maxAge() != null) ? own.maxAge() : this.defaults.maxAge();
		return ContainerSettingsResolver.checked(endpoint,
				() -> new DeadLetterSettings(maxCount, maxAge, target(endpoint, own), source(endpoint)));
	}

	private @Nullable String source(QueueListenerEndpoint endpoint) {
		String source = this.attributes.text(endpoint, "deadLettersOf", endpoint.annotation().deadLettersOf());
		return (source != null) ? checked(endpoint, "deadLettersOf", source) : null;
	}

	private @Nullable String target(QueueListenerEndpoint endpoint, DeadLetterDefaults.OfQueue own) {
		QueueListener annotation = endpoint.annotation();
		String target = (own.queue() != null) ? own.queue()
				: this.attributes.text(endpoint, "deadLetterQueue", annotation.deadLetterQueue());
		return (target != null) ? checked(endpoint, "deadLetterQueue", target) : null;
	}

	private static String checked(QueueListenerEndpoint endpoint, String attribute, String queue) {
		try {
			return QueueName.check(queue);
		}
		catch (IllegalArgumentException ex) {
			throw endpoint.invalid(attribute, "'" + queue + "' is not the name of a queue",
					"Begin with a letter or a digit, and use up to 128 letters, digits, '.', '_' and '-'");
		}
	}

}
