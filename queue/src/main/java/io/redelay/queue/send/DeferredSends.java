package io.redelay.queue.send;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.script.PublishScript;

import org.springframework.util.function.SingletonSupplier;

/**
 * Sends messages that were stored elsewhere, such as in an outbox, and that may have been
 * sent before: for some time a queue remembers the uids of such messages, and skips those
 * that it got before.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class DeferredSends {

	private final MessageTransmitter transmitter;

	private final RequestBatchers<NewMessage, SendReply> batchers;

	private final Supplier<TopicTransmitter> topics;

	private final Supplier<RequestBatchers<NewMessage, PublishScript.Result>> publishing;

	DeferredSends(MessageTransmitter transmitter, Supplier<TopicTransmitter> topics, Duration window) {
		this.transmitter = transmitter;
		this.topics = topics;
		this.publishing = SingletonSupplier.of(() -> topics.get().handingOver(window));
		this.batchers = transmitter.handingOver(window);
	}

	/**
	 * Sends messages to a queue and waits for the answer. Those for one partition of the
	 * queue are added in their order, all or none.
	 * @param queue the queue
	 * @param messages the messages, at most 1,000
	 * @throws MessageSendException if they were not sent, or only those for other
	 * partitions
	 */
	public void send(String queue, List<NewMessage> messages) {
		Map<String, List<NewMessage>> byPartition = new LinkedHashMap<>();
		for (NewMessage message : messages) {
			byPartition.computeIfAbsent(partition(queue, message), (name) -> new ArrayList<>()).add(message);
		}
		List<CompletableFuture<Void>> sent = new ArrayList<>();
		byPartition.forEach((partition, part) -> sent.add(this.batchers.submit(partition, part, true)
			.handle((reply, failure) -> this.transmitter.handedOver(queue, part.size(), reply, failure))));
		MessageTransmitter.await(CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)));
	}

	/**
	 * Publishes messages to a topic and waits for the answer. The groups that the topic
	 * has then get them in their order, all or none.
	 * @param topic the topic
	 * @param messages the messages, at most 1,000
	 * @throws MessageSendException if they were not published
	 */
	public void publish(String topic, List<NewMessage> messages) {
		MessageTransmitter.await(this.publishing.get()
			.submit(topic, messages, true)
			.handle((reply, failure) -> this.topics.get().handedOver(topic, messages.size(), reply, failure)));
	}

	/**
	 * A message without a key goes to the partition of its uid, and so to the same one
	 * when it is sent again.
	 */
	private String partition(String queue, NewMessage message) {
		String key = PreparedMessage.routingKey(message);
		return this.transmitter.partition(queue, Objects.requireNonNullElse(key, message.uid()));
	}

}
