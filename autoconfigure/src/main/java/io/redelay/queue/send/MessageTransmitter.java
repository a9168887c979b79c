package io.redelay.queue.send;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.QueueClosedException;
import io.redelay.queue.QueueFullException;
import io.redelay.queue.SendOutcomeUnknownException;
import io.redelay.queue.SendResult;
import io.redelay.queue.store.RequestBatchers;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.LengthLimit;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.OutcomeUnknownException;
import io.redelay.queue.store.SendReply;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages that are ready, through one batcher a queue, and says in the user's
 * words what became of them.
 */
final class MessageTransmitter {

	private final SendSettings settings;

	private final RequestBatchers<NewMessage, SendReply> batchers;

	private volatile Consumer<String> sendListener = (queue) -> {
	};

	MessageTransmitter(DelayQueueStore store, SendSettings settings) {
		this.settings = settings;
		this.batchers = RequestBatchers.forSending(store, settings.maxWaiting(), settings.maxWaitingBytes(),
				settings.limits(), (queue) -> this.sendListener.accept(queue));
	}

	void setSendListener(Consumer<String> listener) {
		this.sendListener = listener;
	}

	/**
	 * Sends messages to a queue, all or none, and waits for the answer.
	 */
	List<SendResult> transmit(String queue, List<PreparedMessage> messages) {
		return await(begin(queue, messages, false));
	}

	/**
	 * Sends messages to a queue, all or none.
	 * @param inOrder whether the caller may send more before the answer, which is to come
	 * behind these
	 */
	CompletableFuture<List<SendResult>> begin(String queue, List<PreparedMessage> messages, boolean inOrder) {
		List<NewMessage> entries = new ArrayList<>(messages.size());
		for (PreparedMessage message : messages) {
			entries.add(message.entry());
		}
		return this.batchers.submit(queue, entries, inOrder).handle((sent, failure) -> {
			MessageSendException ex = (failure != null) ? failure(queue, messages, failure)
					: refusal(queue, messages, sent.status());
			if (ex != null) {
				messages.forEach((message) -> message.fail(ex));
				throw ex;
			}
			messages.forEach((message) -> message.observation().stop());
			return results(messages, sent);
		});
	}

	private static List<SendResult> results(List<PreparedMessage> messages, SendReply sent) {
		List<SendResult> results = new ArrayList<>(messages.size());
		for (int i = 0; i < messages.size(); i++) {
			results.add(messages.get(i).result(sent.time(), sent.fates().get(i)));
		}
		return results;
	}

	private static MessageSendException failure(String queue, List<PreparedMessage> messages, Throwable thrown) {
		Throwable failure = (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause()
				: thrown;
		String what = what(queue, messages);
		if (failure instanceof OutcomeUnknownException) {
			return new SendOutcomeUnknownException(
					what + ": it is unknown whether Redis has it, for no answer came: " + failure.getMessage(),
					failure);
		}
		return new MessageSendException(what + " was not sent: " + failure.getMessage(), failure);
	}

	private @Nullable MessageSendException refusal(String queue, List<PreparedMessage> messages, LaneStatus status) {
		return switch (status) {
			case FULL -> new QueueFullException(what(queue, messages) + " was not sent: the queue '" + queue
					+ "' has as many messages as 'redelay.queue.queues." + queue + ".max-length' allows"
					+ whyNoneIsDropped(queue));
			case CLOSED -> new QueueClosedException(what(queue, messages) + " was not sent: the queue '" + queue
					+ "' is closed for new messages until QueueAdmin.reopen is called");
			default -> null;
		};
	}

	private String whyNoneIsDropped(String queue) {
		LengthLimit limit = this.settings.limits().get(queue);
		return (limit != null && limit.dropsOldest())
				? ", and dropping all that wait would not make room: handlers have in hand as many, or more are sent together than the limit allows"
				: "";
	}

	private static String what(String queue, List<PreparedMessage> messages) {
		return (messages.size() == 1) ? messages.get(0).message().toString()
				: messages.size() + " messages to the queue '" + queue + "'";
	}

	static <T> T await(CompletableFuture<T> future) {
		try {
			return future.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new SendOutcomeUnknownException("The thread was interrupted while it waited for Redis' answer", ex);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof MessageSendException failure) {
				failure.addSuppressed(new CallerTrace());
				throw failure;
			}
			throw new IllegalStateException(ex.getCause());
		}
	}

	/**
	 * Shows where in the application a send was made, which the stack of Redis' answer
	 * does not.
	 */
	private static final class CallerTrace extends RuntimeException {

		CallerTrace() {
			super("The message was sent here");
		}

	}

}
