package io.redelay.outbox.jdbc;

import java.util.List;

import io.redelay.outbox.jdbc.OutboxRow.Destination;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.message.NewMessage;

/**
 * Sends messages of the outbox.
 */
interface MessageSender {

	/**
	 * Sends messages, each unless it was sent before.
	 * @throws MessageSendException if some of them may not have been sent
	 */
	void send(Destination to, List<NewMessage> messages);

}
