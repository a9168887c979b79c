package io.redelay.queue.send;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.SendNotDurableException;
import io.redelay.queue.SendResult;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Sends many messages: those for different queues or partitions at the same time, those
 * for one partition in one request if possible, else in parts, one after the other.
 */
final class BulkSend {

	private static final int MAX_MESSAGES = 10_000;

	private static final int MAX_SUPPRESSED = 100;

	private static final long MAX_BYTES = 16L * 1024 * 1024;

	private final MessageTransmitter transmitter;

	private final Map<String, SendResult> results;

	private final Map<String, MessageSendException> failures;

	private @Nullable MessageSendException failure;

	/**
	 * Creates a bulk send.
	 * @param transmitter transmits
	 * @param results gets the result of each message that was sent, by its uid
	 * @param failures gets why each other message was not, or may not have been
	 */
	BulkSend(MessageTransmitter transmitter, Map<String, SendResult> results,
			Map<String, MessageSendException> failures) {
		this.transmitter = transmitter;
		this.results = results;
		this.failures = failures;
	}

	/**
	 * Refuses messages if there are too many for one queue to send all or none.
	 */
	static void check(List<PreparedMessage> messages) {
		List<String> queues = new ArrayList<>(messages.size());
		for (PreparedMessage message : messages) {
			queues.add(message.message().queue());
		}
		parts(messages, queues).forEach((parts) -> Assert.isTrue(parts.left().size() == 1, () -> {
			List<PreparedMessage> all = parts.left().stream().flatMap((part) -> part.messages.stream()).toList();
			return "'messages' has " + all.size() + " messages of "
					+ all.stream().mapToLong(PreparedMessage::size).sum() + " bytes for the queue '" + parts.partition()
					+ "', and at most " + MAX_MESSAGES + " of " + MAX_BYTES
					+ " bytes can be sent all or none; send them in several calls";
		}));
	}

	/**
	 * Sends messages.
	 * @throws MessageSendException if some were not sent
	 */
	void send(List<PreparedMessage> messages) {
		List<Parts> waiting = parts(messages, choose(messages));
		while (!waiting.isEmpty()) {
			List<Parts> round = round(waiting);
			List<CompletableFuture<List<SendResult>>> sent = round.stream().map(this::transmit).toList();
			Iterator<CompletableFuture<List<SendResult>>> results = sent.iterator();
			round.forEach((parts) -> sent(parts.left(), results.next()));
			waiting.removeIf((parts) -> parts.left().isEmpty());
		}
		if (this.failure != null) {
			throw this.failure;
		}
	}

	private List<String> choose(List<PreparedMessage> messages) {
		try {
			return this.transmitter.choose(messages);
		}
		catch (MessageSendException ex) {
			messages.forEach((message) -> failed(message, ex));
			throw ex;
		}
	}

	/**
	 * The partitions whose next parts go out at the same time: all, or as many as
	 * together are no larger than a part may be.
	 */
	private static List<Parts> round(List<Parts> waiting) {
		List<Parts> round = new ArrayList<>();
		long bytes = 0;
		for (Parts parts : waiting) {
			bytes += parts.left().element().bytes;
			if (!round.isEmpty() && bytes > MAX_BYTES) {
				break;
			}
			round.add(parts);
		}
		return round;
	}

	private CompletableFuture<List<SendResult>> transmit(Parts parts) {
		return this.transmitter.transmit(parts.partition(), parts.left().element().messages, false);
	}

	private void sent(Queue<Part> parts, CompletableFuture<List<SendResult>> first) {
		List<PreparedMessage> part = parts.remove().messages;
		try {
			List<SendResult> of = MessageTransmitter.await(first);
			for (int i = 0; i < part.size(); i++) {
				sent(part.get(i), of.get(i));
			}
		}
		catch (MessageSendException ex) {
			part.forEach((message) -> failed(message, ex));
			parts.forEach((rest) -> abandon(rest.messages, ex));
			parts.clear();
			note(ex);
		}
	}

	private void sent(PreparedMessage message, SendResult result) {
		SendNotDurableException shortfall = message.shortfall(result);
		if (shortfall == null) {
			this.results.put(message.uid(), result);
			message.sent(result);
		}
		else {
			failed(message, shortfall);
			note(shortfall);
		}
	}

	private void failed(PreparedMessage message, MessageSendException ex) {
		this.failures.put(message.uid(), ex);
		message.failed(ex);
	}

	private void note(MessageSendException ex) {
		if (this.failure == null) {
			this.failure = ex;
		}
		else if (this.failure.getSuppressed().length < MAX_SUPPRESSED) {
			this.failure.addSuppressed(ex);
		}
	}

	/**
	 * Messages of later parts were certainly not sent, whatever became of those before
	 * them.
	 */
	private void abandon(List<PreparedMessage> rest, MessageSendException cause) {
		MessageSendException ex = new MessageSendException(
				rest.size() + " messages to the queue '" + rest.get(0).message().queue()
						+ "' were not sent, because sending those before them failed: " + cause.getMessage(),
				cause);
		rest.forEach((message) -> {
			this.failures.put(message.uid(), ex);
			message.abandon(ex);
		});
	}

	/**
	 * Divides messages into parts that are sent together.
	 * @param partitions where each of them goes
	 */
	private static List<Parts> parts(List<PreparedMessage> messages, List<String> partitions) {
		Map<String, Parts> parts = new LinkedHashMap<>();
		Parts last = null;
		for (int i = 0; i < messages.size(); i++) {
			String partition = partitions.get(i);
			if (last == null || !last.partition().equals(partition)) {
				last = parts.computeIfAbsent(partition, (name) -> new Parts(name, new ArrayDeque<>()));
			}
			last.add(messages.get(i));
		}
		return new ArrayList<>(parts.values());
	}

	/**
	 * The parts for one partition of a queue.
	 *
	 * @param partition the name that the store has for it
	 * @param left what has not gone yet
	 */
	private record Parts(String partition, Deque<Part> left) {

		void add(PreparedMessage message) {
			Part part = this.left.peekLast();
			if (part == null || !part.takes(message)) {
				part = new Part();
				this.left.add(part);
			}
			part.add(message);
		}

	}

	/**
	 * Messages that are sent together.
	 */
	private static final class Part {

		private final List<PreparedMessage> messages = new ArrayList<>();

		private long bytes;

		boolean takes(PreparedMessage message) {
			return this.messages.size() < MAX_MESSAGES && this.bytes + message.size() <= MAX_BYTES;
		}

		void add(PreparedMessage message) {
			this.messages.add(message);
			this.bytes += message.size();
		}

	}

}
