package io.redelay.queue.config;

import java.time.Duration;

import io.redelay.queue.QueueListener;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.deadletter.DeadLetterSettings;
import org.jspecify.annotations.Nullable;

/**
 * Determines what becomes of dead messages, and from which queue a listener of dead
 * messages takes them.
 */
record DeadLetterResolver(ListenerAttributes attributes, DeadLetterDefaults defaults) {

	private static final String SUFFIX = ".dead";

	/**
	 * The queue to which the dead messages of another one are forwarded for their
	 * listener, or {@code null} if it does not listen to dead messages.
	 */
	@Nullable String queue() {
		String source = source();
		if (source == null) {
			return null;
		}
		if (this.attributes.annotation().queues().length > 0) {
			throw this.attributes.invalid("deadLettersOf", "'queues' is given as well",
					"Leave 'queues' out: the listener listens to the queue '" + source + SUFFIX + "'");
		}
		refuseHeldKeys("deadLettersOf", source);
		refuseRedrive(source);
		return this.attributes.checkedName("deadLettersOf", "queue", source + SUFFIX);
	}

	DeadLetterSettings resolve(String queue) {
		DeadLetterDefaults.OfQueue own = this.defaults.queue(queue);
		ConfiguredValue<Long> maxCount = first(queue, "max-count", own.maxCount(), this.defaults.maxCount());
		ConfiguredValue<Duration> maxAge = first(queue, "max-age", own.maxAge(), this.defaults.maxAge());
		ConfiguredValue<Long> maxBytes = first(queue, "max-bytes", own.maxBytes(), this.defaults.maxBytes());
		return this.attributes.checked(
				() -> new DeadLetterSettings(maxCount.or(0L), maxAge.or(Duration.ZERO),
						maxBytes.or(DeadLetterSettings.ANY_SIZE), target(queue), source(), redrive(queue)),
				maxCount, maxAge, maxBytes);
	}

	/**
	 * When the dead messages of a queue are redriven by themselves. Where they are
	 * forwarded, the rule of all queues has nothing to redrive.
	 */
	private @Nullable RedriveRule redrive(String queue) {
		DeadLetterDefaults.Redrive own = this.defaults.queue(queue).redrive();
		String target = target(queue);
		if (target != null && own != null && own.rule() != null) {
			throw this.attributes.invalid(targetAttribute(this.defaults, queue),
					"the dead messages of the queue '" + queue + "' are forwarded to the queue '" + target
							+ "', so that none is left to be redriven by '" + redriveProperty(queue) + "'",
					"Leave out one of the two, or give the rule to the queue '" + target + "'");
		}
		return (target != null) ? null : (own != null) ? own.rule() : this.defaults.redrive();
	}

	private static String redriveProperty(String queue) {
		return ConfiguredValue.ofQueue(queue, "dead-letters.redrive");
	}

	/**
	 * A listener of the dead messages of a queue takes them at once.
	 */
	private void refuseRedrive(String source) {
		DeadLetterDefaults.Redrive redrive = this.defaults.queue(source).redrive();
		if (redrive != null && redrive.rule() != null) {
			throw this.attributes.invalid("deadLettersOf",
					"the dead messages of the queue '" + source + "' are forwarded to this listener, so that none is"
							+ " left to be redriven by '" + redriveProperty(source) + "'",
					"Leave out one of the two, or give the rule to the queue '" + source + SUFFIX + "'");
		}
	}

	private static <T> ConfiguredValue<T> first(String queue, String name, @Nullable T ofQueue, @Nullable T ofAll) {
		String property = "dead-letters." + name;
		return (ofQueue != null) ? new ConfiguredValue<>(ofQueue, property, ConfiguredValue.ofQueue(queue, property))
				: new ConfiguredValue<>(ofAll, property, "redelay.queue." + property);
	}

	private @Nullable String source() {
		String source = this.attributes.text("deadLettersOf", this.attributes.annotation().deadLettersOf());
		return (source != null) ? this.attributes.checkedName("deadLettersOf", "queue", source) : null;
	}

	private @Nullable String target(String queue) {
		QueueListener annotation = this.attributes.annotation();
		String ofQueue = this.defaults.queue(queue).queue();
		String target = (ofQueue != null) ? ofQueue
				: this.attributes.text("deadLetterQueue", annotation.deadLetterQueue());
		if (target == null) {
			return null;
		}
		refuseHeldKeys(targetAttribute(this.defaults, queue), queue);
		return this.attributes.checkedName(targetAttribute(this.defaults, queue), "queue", target);
	}

	/**
	 * A forwarded message is removed from the queue where it died, and its key with it.
	 */
	private void refuseHeldKeys(String attribute, String queue) {
		if (this.defaults.queue(queue).holdKeys()) {
			throw this.attributes.invalid(attribute,
					"dead messages of the queue '" + queue + "' are to hold their ordering keys, and cannot where they"
							+ " are forwarded to another queue",
					"Leave it out, or 'redelay.queue.queues." + queue + ".dead-holds-key'");
		}
	}

	/**
	 * Returns where the dead-letter queue of a queue is declared, if it has one.
	 */
	static String targetAttribute(DeadLetterDefaults defaults, String queue) {
		return (defaults.queue(queue).queue() != null) ? ConfiguredValue.ofQueue(queue, "deadLetterQueue")
				: "deadLetterQueue";
	}

}
