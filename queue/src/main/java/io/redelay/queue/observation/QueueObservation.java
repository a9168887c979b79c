package io.redelay.queue.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of queues. Nothing is created or measured if no registry observes.
 *
 * @since 0.1.0
 */
public enum QueueObservation implements ObservationDocumentation {

	/**
	 * The send of a message, from the call to the answer of Redis.
	 */
	SEND(QueueSendConvention.class),

	/**
	 * The handling of a message or a batch, until the returned future is complete.
	 */
	PROCESS(QueueProcessConvention.class);

	private final Class<? extends ObservationConvention<? extends Observation.Context>> convention;

	QueueObservation(Class<? extends ObservationConvention<? extends Observation.Context>> convention) {
		this.convention = convention;
	}

	@Override
	public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
		return this.convention;
	}

	/**
	 * The keys with few values that sending and handling have.
	 */
	static KeyValues keyValues(String operation, String queue) {
		return KeyValues.of(LowCardinality.SYSTEM.withValue("redelay"), LowCardinality.OPERATION.withValue(operation),
				LowCardinality.OPERATION_NAME.withValue(operation), LowCardinality.QUEUE.withValue(queue));
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return LowCardinality.values();
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return HighCardinality.values();
	}

	/**
	 * The keys with few values, for metrics.
	 */
	public enum LowCardinality implements KeyName {

		/**
		 * The queue.
		 */
		QUEUE("messaging.destination.name"),

		/**
		 * Always {@code redelay}.
		 */
		SYSTEM("messaging.system"),

		/**
		 * The kind of operation, as named for all messaging systems: {@code send} or
		 * {@code process}.
		 */
		OPERATION("messaging.operation.type"),

		/**
		 * What Redelay calls the operation: {@code send} or {@code process}.
		 */
		OPERATION_NAME("messaging.operation.name"),

		/**
		 * How the handling of a message ended, of {@link #PROCESS} only: {@code handled},
		 * {@code failed}, {@code cancelled}, {@code lost}, {@code stopped},
		 * {@code duplicate}, {@code postponed} or {@code filtered}.
		 */
		OUTCOME("redelay.outcome");

		private final String name;

		LowCardinality(String name) {
			this.name = name;
		}

		@Override
		public String asString() {
			return this.name;
		}

	}

	/**
	 * The keys with many values, for traces.
	 */
	public enum HighCardinality implements KeyName {

		/**
		 * The id of the message.
		 */
		MESSAGE_ID("messaging.message.id");

		private final String name;

		HighCardinality(String name) {
			this.name = name;
		}

		@Override
		public String asString() {
			return this.name;
		}

	}

}
