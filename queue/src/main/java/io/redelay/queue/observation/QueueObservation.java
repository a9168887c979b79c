package io.redelay.queue.observation;

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
	SEND {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return QueueSendConvention.class;
		}

	},

	/**
	 * The handling of a message or a batch, until the returned future is complete.
	 */
	PROCESS {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return QueueProcessConvention.class;
		}

	};

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
		QUEUE {

			@Override
			public String asString() {
				return "messaging.destination.name";
			}

		},

		/**
		 * Always {@code redelay}.
		 */
		SYSTEM {

			@Override
			public String asString() {
				return "messaging.system";
			}

		},

		/**
		 * The kind of operation, as named for all messaging systems: {@code send} or
		 * {@code process}.
		 */
		OPERATION {

			@Override
			public String asString() {
				return "messaging.operation.type";
			}

		},

		/**
		 * What Redelay calls the operation: {@code send} or {@code process}.
		 */
		OPERATION_NAME {

			@Override
			public String asString() {
				return "messaging.operation.name";
			}

		},

		/**
		 * How the handling of a message ended, of {@link #PROCESS} only: {@code handled},
		 * {@code failed}, {@code cancelled}, {@code lost}, {@code stopped},
		 * {@code duplicate}, {@code postponed} or {@code filtered}.
		 */
		OUTCOME {

			@Override
			public String asString() {
				return "redelay.outcome";
			}

		}

	}

	/**
	 * The keys with many values, for traces.
	 */
	public enum HighCardinality implements KeyName {

		/**
		 * The id of the message.
		 */
		MESSAGE_ID {

			@Override
			public String asString() {
				return "messaging.message.id";
			}

		}

	}

}
