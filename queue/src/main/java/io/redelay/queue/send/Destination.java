package io.redelay.queue.send;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.QueueName;

/**
 * The kind of destination that a message is sent to.
 */
enum Destination {

	/**
	 * A queue.
	 */
	QUEUE {

		@Override
		void check(OutboundMessage message) {
			QueueName.check(message.queue());
		}

		@Override
		String settingsOf(String name) {
			return name;
		}

	},

	/**
	 * A topic, each group of which gets a copy.
	 */
	TOPIC {

		@Override
		void check(OutboundMessage message) {
			GroupName.checkTopic(message.queue());
			if (message.sending().inDelivery()) {
				throw new IllegalArgumentException("'inDelivery' of a message to the topic '" + message.queue()
						+ "' must not be given, for its groups are known only when it is published; send a message to a "
						+ "queue in the delivery, whose handler publishes, or leave it out");
			}
		}

		@Override
		String settingsOf(String name) {
			return GroupName.ofTopic(name);
		}

	};

	/**
	 * Refuses a message that cannot go there.
	 */
	abstract void check(OutboundMessage message);

	/**
	 * The name by which the settings of sends are looked up: those of a queue do not hold
	 * for a topic of the same name.
	 */
	abstract String settingsOf(String name);

}
