package io.redelay.queue.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of queues. Nothing is made or measured while no registry observes.
 *
 * @since 0.1.0
 */
public enum QueueObservation implements ObservationDocumentation {

	/**
	 * A message is sent, from the call to Redis' answer.
	 */
	SEND {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return QueueSendConvention.class;
		}

	},

	/**
	 * A message, or a batch of them, is handled, until what its handler returned is
	 * complete.
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
	 * The keys by which one counts.
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
		 * What is done: {@code send} or {@code process}.
		 */
		OPERATION {

			@Override
			public String asString() {
				return "messaging.operation.type";
			}

		}

	}

	/**
	 * The keys by which one finds a single message.
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
