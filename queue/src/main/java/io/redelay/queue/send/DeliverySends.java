package io.redelay.queue.send;

import java.util.List;

import io.redelay.delivery.DeliveryScope;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.script.NextMessages;
import io.redelay.queue.script.QueueScripts;
import org.jspecify.annotations.Nullable;

/**
 * Has messages sent with the acknowledgement of the message that is being handled.
 *
 * @param store the scripts of the server
 * @param transmitter knows the partitions
 */
record DeliverySends(QueueScripts store, MessageTransmitter transmitter) {

	boolean canSendWith(NextMessages collected) {
		return collected.isOf(this.store);
	}

	/**
	 * Returns what collects the messages of the present delivery, if a message is sent
	 * with its acknowledgement; {@code null} if it is sent by itself.
	 * @throws MessageSendException if it should be sent with the acknowledgement, and
	 * cannot
	 */
	@Nullable NextMessages collecting(OutboundMessage message) {
		if (!message.sending().inDelivery()) {
			return null;
		}
		NextMessages present = (DeliveryScope.current() instanceof NextMessages collected) ? collected : null;
		if (present == null) {
			throw refused(message, "this thread handles no message; send it on the thread of the handler, or through "
					+ "a NextStep that the handler takes as a parameter, or without inDelivery");
		}
		if (!present.isOf(this.store)) {
			throw refused(message, "the message that is handled is on another server, so that they cannot happen in "
					+ "one step; send it without inDelivery");
		}
		return present;
	}

	/**
	 * Adds a message to what is sent with the acknowledgement.
	 */
	void add(PreparedMessage message, NextMessages collected, Runnable sent, Runnable dropped) {
		if (message.message().sending().durability() != null) {
			throw refused(message.message(), "no caller waits for copies of it then; leave the durability out");
		}
		String partition = this.transmitter.choose(List.of(message)).get(0);
		NextMessage next = new NextMessage(partition, message.entry(), this.transmitter.limit(partition));
		try {
			collected.add(next, (counted) -> (counted ? sent : dropped).run());
		}
		catch (IllegalStateException ex) {
			throw new MessageSendException(message.message() + " was not sent: " + ex.getMessage(), ex);
		}
	}

	private static MessageSendException refused(OutboundMessage message, String why) {
		return new MessageSendException(
				message + " was not sent: it is to be sent with an acknowledgement (inDelivery), and " + why, null);
	}

}
