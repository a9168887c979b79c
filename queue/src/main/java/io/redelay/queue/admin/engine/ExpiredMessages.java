package io.redelay.queue.admin.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.log.PlainLog;
import io.redelay.queue.DeathReason;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.EnvelopeException;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CommandBatcher;
import io.redelay.queue.script.admin.MessagePage;
import org.apache.commons.logging.Log;

/**
 * Expires the messages of a queue that wait although their time to live or their deadline
 * is over. They die, or are dropped if their sender wanted that, as they would if a
 * listener claimed them. Of several instances, only the one whose command was carried out
 * logs it.
 * <p>
 * Safe for use by many threads.
 *
 * @param codec reads envelopes
 * @param instance the display name of this instance
 * @since 0.1.0
 */
public record ExpiredMessages(AdminScripts store, EnvelopeCodec codec, FailedAttemptCodec attempts, String instance) {

	private static final Log logger = PlainLog.of(ExpiredMessages.class);

	/**
	 * Expires overdue messages, in steps.
	 * @param queue the queue
	 * @return a future that completes when no overdue message is left
	 */
	public CompletableFuture<Void> expire(String queue) {
		return step(queue, this.store.steer().batcher(queue));
	}

	private CompletableFuture<Void> step(String queue, CommandBatcher batcher) {
		return this.store.messages()
			.expired(queue)
			.thenCompose((page) -> expire(queue, batcher, page).thenCompose(
					(expired) -> page.hasNext() ? step(queue, batcher) : CompletableFuture.completedFuture(null)));
	}

	private CompletableFuture<Void> expire(String queue, CommandBatcher batcher, MessagePage page) {
		List<MessageCommand> commands = new ArrayList<>(page.messages().size());
		for (StoredMessage message : page.messages()) {
			commands.add(new MessageCommand(MessageCommand.Action.EXPIRE, message.uid(), cause(message, page), ""));
		}
		if (commands.isEmpty()) {
			return CompletableFuture.completedFuture(null);
		}
		return batcher.send(commands).thenAccept((results) -> log(queue, page.messages(), commands, results));
	}

	/**
	 * Returns what a message dies of, or nothing if it is to be dropped.
	 */
	private String cause(StoredMessage message, MessagePage page) {
		Envelope.Expiration ending = new Envelope.Expiration(DeathReason.EXPIRED, "Its time to live was over", false);
		try {
			Envelope.Expiration read = this.codec.read(message.envelope()).ended(page.time());
			ending = (read != null) ? read : ending;
		}
		catch (EnvelopeException ex) {
			logger.debug("The message '" + message.uid() + "', which has expired, cannot be read", ex);
		}
		return ending.dropped() ? "" : this.attempts.unhandled(page.time(), this.instance, ending.reason(),
				ending.why(), message.failures(), message.crashes());
	}

	private static void log(String queue, List<StoredMessage> messages, List<MessageCommand> commands,
			List<CommandReply.Result> results) {
		List<String> dead = new ArrayList<>();
		List<String> dropped = new ArrayList<>();
		for (int i = 0; i < results.size(); i++) {
			if (results.get(i).isDone()) {
				(commands.get(i).argument().isEmpty() ? dropped : dead).add(messages.get(i).id());
			}
		}
		if (!dead.isEmpty()) {
			logger.warn(dead.size() + " message(s) of the queue '" + queue
					+ "' died, for their time to live or their deadline was over before a listener claimed them: "
					+ dead);
		}
		if (!dropped.isEmpty()) {
			logger.info(dropped.size() + " message(s) of the queue '" + queue
					+ "' were dropped, for their time to live or their deadline was over before a listener claimed them: "
					+ dropped);
		}
	}

}
