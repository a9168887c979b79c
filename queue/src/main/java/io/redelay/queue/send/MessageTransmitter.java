package io.redelay.queue.send;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

import io.redelay.queue.Durability;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.QueueClosedException;
import io.redelay.queue.QueueFullException;
import io.redelay.queue.SendNotDurableException;
import io.redelay.queue.SendOutcomeUnknownException;
import io.redelay.queue.SendResult;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.request.Copies;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.request.WaitingCaller;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.SendScripts;
import org.jspecify.annotations.Nullable;

/**
 * Sends prepared messages, through one batcher a queue, and translates the replies to
 * results and exceptions.
 */
final class MessageTransmitter {

	private final QueueScripts store;

	private final SendSettings settings;

	private final QueuePartitions partitions;

	private final PartitionChoice choice;

	private final RequestBatchers<NewMessage, SendReply> batchers;

	/**
	 * Sends messages that wait for copies, while others go on.
	 */
	private final RequestBatchers<NewMessage, SendReply> copyingBatchers;

	private final EarlySends early = new EarlySends();

	private volatile Consumer<String> sendListener = (queue) -> {
	};

	MessageTransmitter(QueueScripts store, SendSettings settings, QueuePartitions partitions) {
		this.store = store;
		this.settings = settings;
		this.partitions = partitions;
		this.choice = new PartitionChoice(partitions);
		this.batchers = new RequestBatchers<>(
				(partition) -> store.sends()
					.protocol(partition,
							new SendScripts.Terms(settings.maxWaiting().messages(), limit(partition), null,
									this.choice::requested)),
				settings.maxWaiting().bytes(), this::opened, store.replayMemory());
		this.copyingBatchers = this.batchers.another();
	}

	/**
	 * A partition may hold its share of what the queue may hold.
	 */
	@Nullable LengthLimit limit(String partition) {
		return this.settings.limit(partition, this.partitions);
	}

	void sentTo(String partition) {
		this.partitions.sentTo(PartitionName.queueOf(partition));
	}

	private void opened(String partition) {
		sentTo(partition);
		this.sendListener.accept(partition);
	}

	void setSendListener(Consumer<String> listener) {
		this.sendListener = listener;
	}

	/**
	 * Sends a message.
	 * @param inOrder whether the caller may send more before the reply, and those must be
	 * ordered behind this one
	 */
	CompletableFuture<SendResult> transmit(PreparedMessage message, boolean inOrder) {
		String queue = message.message().queue();
		if (!this.choice.mustAsk(queue) && !this.early.areWaiting(queue)) {
			return inOrder ? transmitToChosen(message, true) : transmitByCaller(message);
		}
		return this.early.begin(queue, this.partitions.ready(), (thrown) -> {
			if (thrown != null) {
				throw unknownPartitions(queue, List.of(message), thrown);
			}
			return transmitToChosen(message, inOrder);
		});
	}

	private CompletableFuture<SendResult> transmitToChosen(PreparedMessage message, boolean inOrder) {
		String partition = this.choice.choose(message.message().queue(), message.routingKey());
		return submit(partition, List.of(message.entry()), inOrder).handle((sent, failure) -> {
			MessageSendException ex = exception(message, sent, failure);
			if (ex != null) {
				message.fail(ex);
				throw ex;
			}
			return result(message, sent, 0);
		});
	}

	private @Nullable MessageSendException exception(PreparedMessage message, SendReply sent,
			@Nullable Throwable failure) {
		return (failure == null && sent.status() == LaneStatus.OK) ? null
				: exception(message.message().queue(), List.of(message), sent, failure);
	}

	/**
	 * Sends a message of a caller that waits for nothing else, and so may make the
	 * request itself.
	 */
	private CompletableFuture<SendResult> transmitByCaller(PreparedMessage message) {
		WaitingCaller.enter();
		try {
			return transmitToChosen(message, false);
		}
		finally {
			WaitingCaller.leave();
		}
	}

	/**
	 * Chooses the partitions of messages: those of a queue that have no key go to the
	 * same one.
	 * @return the names that the store has for them, in the same order
	 */
	List<String> choose(List<PreparedMessage> messages) {
		Map<String, String> withoutKey = new HashMap<>();
		List<String> chosen = new ArrayList<>(messages.size());
		for (PreparedMessage message : messages) {
			String queue = message.message().queue();
			String key = message.routingKey();
			if (this.choice.mustAsk(queue)) {
				awaitPartitions((thrown) -> unknownPartitions(queue, messages, thrown));
			}
			String partition = (key != null) ? this.choice.choose(queue, key) : withoutKey.get(queue);
			if (partition == null) {
				partition = this.choice.choose(queue, null);
				withoutKey.put(queue, partition);
			}
			chosen.add(partition);
		}
		return chosen;
	}

	private void awaitPartitions(Function<Throwable, MessageSendException> failure) {
		await(this.partitions.ready().handle((known, thrown) -> {
			if (thrown != null) {
				throw failure.apply(thrown);
			}
			return true;
		}));
	}

	private static MessageSendException unknownPartitions(String queue, List<PreparedMessage> messages,
			Throwable thrown) {
		MessageSendException ex = failure(what(queue, messages), new StoreException(
				"it is not known how many partitions the queue has: " + StoreException.cause(thrown).getMessage(),
				StoreException.cause(thrown)));
		messages.forEach((message) -> message.fail(ex));
		return ex;
	}

	/**
	 * Sends messages to a partition of a queue, all or none.
	 * @param partition the name that the store has for the partition
	 * @param inOrder whether the caller may send more before the reply, and those must be
	 * ordered behind these
	 */
	CompletableFuture<List<SendResult>> transmit(String partition, List<PreparedMessage> messages, boolean inOrder) {
		String queue = messages.get(0).message().queue();
		List<NewMessage> entries = new ArrayList<>(messages.size());
		for (PreparedMessage message : messages) {
			entries.add(message.entry());
		}
		return submit(partition, entries, inOrder).handle((sent, failure) -> {
			MessageSendException ex = exception(queue, messages, sent, failure);
			if (ex != null) {
				messages.forEach((message) -> message.fail(ex));
				throw ex;
			}
			return results(messages, sent);
		});
	}

	/**
	 * Submits messages: one that waits for copies delays no other one, unless an order is
	 * to be kept.
	 */
	private CompletableFuture<SendReply> submit(String partition, List<NewMessage> entries, boolean inOrder) {
		return ((!inOrder && areCopied(entries)) ? this.copyingBatchers : this.batchers).submit(partition, entries,
				inOrder);
	}

	private static boolean areCopied(List<NewMessage> entries) {
		for (NewMessage entry : entries) {
			if (entry.durability() != null) {
				return true;
			}
		}
		return false;
	}

	private @Nullable MessageSendException exception(String queue, List<PreparedMessage> messages, SendReply sent,
			@Nullable Throwable failure) {
		return (failure != null) ? failure(what(queue, messages), failure) : refusal(queue, messages, sent);
	}

	/**
	 * The partition that a key belongs to.
	 * @return the name that the store has for it
	 */
	String partition(String queue, String key) {
		if (this.choice.mustAsk(queue)) {
			awaitPartitions((thrown) -> failure("A message to the queue '" + queue + "'", thrown));
		}
		return this.choice.choose(queue, key);
	}

	/**
	 * Creates batchers on which messages are sent that may have been sent before.
	 * @param window for how long a queue remembers them
	 */
	RequestBatchers<NewMessage, SendReply> handingOver(Duration window) {
		return new RequestBatchers<>(
				(partition) -> this.store.sends()
					.protocol(partition,
							new SendScripts.Terms(this.settings.maxWaiting().messages(), limit(partition), window)),
				Long.MAX_VALUE, this::opened, this.store.replayMemory());
	}

	void whenRedisIsBack(Runnable action) {
		this.store.replayMemory().watch(action);
	}

	/**
	 * Throws the exception for messages that were not handed over.
	 */
	@Nullable Void handedOver(String queue, int count, @Nullable SendReply sent, @Nullable Throwable failure) {
		String what = count + " message(s) to the queue '" + queue + "'";
		MessageSendException ex = (sent != null) ? refusal(queue, what, sent)
				: failure(what, Objects.requireNonNull(failure));
		if (ex != null) {
			throw ex;
		}
		return null;
	}

	private static List<SendResult> results(List<PreparedMessage> messages, SendReply sent) {
		List<SendResult> results = new ArrayList<>(messages.size());
		for (int i = 0; i < messages.size(); i++) {
			results.add(result(messages.get(i), sent, i));
		}
		return results;
	}

	private static SendResult result(PreparedMessage message, SendReply sent, int position) {
		SendResult result = message.result(sent.time(), sent.fates().isEmpty() ? null : sent.fates().get(position));
		Durability durability = message.entry().durability();
		Copies copies = sent.copies();
		if (durability != null && copies != null) {
			result = result.withDurability(copies.outcome(durability));
		}
		SendNotDurableException shortfall = message.shortfall(result);
		if (shortfall != null) {
			message.fail(shortfall);
		}
		else {
			message.kept();
		}
		return result;
	}

	private static MessageSendException failure(String what, Throwable thrown) {
		return failure(what, "was not sent", thrown);
	}

	/**
	 * Returns the exception for messages that were not sent, or may not have been.
	 * @param certainly what is known if they certainly were not
	 */
	static MessageSendException failure(String what, String certainly, Throwable thrown) {
		Throwable failure = StoreException.cause(thrown);
		if (failure instanceof OutcomeUnknownException) {
			return new SendOutcomeUnknownException(
					what + ": it is unknown whether Redis has it, for no answer came: " + failure.getMessage(),
					failure);
		}
		return new MessageSendException(what + " " + certainly + ": " + failure.getMessage(), failure);
	}

	private @Nullable MessageSendException refusal(String queue, List<PreparedMessage> messages, SendReply sent) {
		SendReply.Overdue overdue = sent.overdue();
		return (overdue == null) ? refusal(queue, what(queue, messages), sent)
				: new MessageSendException(what(queue, messages) + " was not sent: "
						+ ((messages.size() > 1) ? "of the " + messages.get(overdue.position()).message() + ", " : "")
						+ overdue.why(), null);
	}

	private @Nullable MessageSendException refusal(String queue, String what, SendReply sent) {
		SendReply.FullLine line = sent.fullLine();
		if (line != null) {
			return new QueueFullException(what + " was not sent: " + line.why(queue), line.orderingKey());
		}
		return switch (sent.status()) {
			case FULL -> new QueueFullException(what + " was not sent: the queue '" + queue
					+ "' has as many messages as 'redelay.queue.queues." + queue + ".max-length' allows"
					+ ((this.partitions.configured(queue) > 1) ? " in one of its partitions" : "")
					+ whyNoneIsDropped(queue));
			case CLOSED -> new QueueClosedException(what + " was not sent: the queue '" + queue
					+ "' is closed for new messages until QueueAdmin.control().reopen is called");
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
	 * Shows where in the application a send was made, which the stack of a failed reply
	 * does not.
	 */
	private static final class CallerTrace extends RuntimeException {

		CallerTrace() {
			super("The message was sent here");
		}

	}

}
