package io.redelay.queue.send;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueClosedException;
import io.redelay.queue.QueueFullException;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.script.PublishScript;
import io.redelay.queue.topic.TopicGroups;
import org.jspecify.annotations.Nullable;

/**
 * Publishes prepared messages, through one batcher a topic, and translates the replies to
 * results and exceptions.
 */
final class TopicTransmitter {

	private static final String NOT_PUBLISHED = "was not published";

	private final SendSettings settings;

	private final RequestBatchers<NewMessage, PublishScript.Result> batchers;

	private final TopicGroups groups;

	TopicTransmitter(SendSettings settings, TopicGroups groups) {
		this.settings = settings;
		this.groups = groups;
		this.batchers = new RequestBatchers<>((topic) -> protocol(topic, null), settings.maxWaiting().bytes(),
				(topic) -> {
				}, groups.scripts().publish().context().memory());
	}

	private RequestProtocol<NewMessage, PublishScript.Result> protocol(String topic, @Nullable Duration window) {
		return this.groups.scripts()
			.publish()
			.protocol(topic, this.settings.maxWaiting().messages(), this.settings.limits()::get, window,
					this.groups::configure);
	}

	/**
	 * Publishes a message.
	 * @param inOrder whether the caller may publish more before the reply, and those must
	 * be ordered behind this one
	 */
	CompletableFuture<PublishResult> transmit(PreparedMessage message, boolean inOrder) {
		String topic = message.message().queue();
		return this.batchers.submit(topic, List.of(message.entry()), inOrder).handle((reply, thrown) -> {
			MessageSendException ex = (thrown != null)
					? MessageTransmitter.failure(what(message), NOT_PUBLISHED, thrown)
					: refusal(topic, what(message), reply);
			if (ex != null) {
				message.fail(ex);
				throw ex;
			}
			message.kept();
			this.groups.published(topic, reply.allGroups().size());
			return message.result(reply, 0);
		});
	}

	/**
	 * Creates batchers on which messages are published that may have been published
	 * before.
	 * @param window for how long a group remembers them
	 */
	RequestBatchers<NewMessage, PublishScript.Result> handingOver(Duration window) {
		return new RequestBatchers<>((topic) -> protocol(topic, window),
				this.groups.scripts().publish().context().memory());
	}

	/**
	 * Throws the exception for messages that were not handed over.
	 */
	@Nullable Void handedOver(String topic, int count, PublishScript.@Nullable Result reply, @Nullable Throwable thrown) {
		String what = count + " message(s) to the topic '" + topic + "'";
		MessageSendException ex = (reply != null) ? refusal(topic, what, reply)
				: MessageTransmitter.failure(what, NOT_PUBLISHED, Objects.requireNonNull(thrown));
		if (ex != null) {
			throw ex;
		}
		this.groups.published(topic, Objects.requireNonNull(reply).allGroups().size());
		return null;
	}

	/**
	 * Publishes messages one after the other, and waits for the replies.
	 * @param failures gets why each message was not published, or may not have been, by
	 * its uid
	 * @return what became of the others, by uid
	 */
	Map<String, PublishResult> transmitAll(List<PreparedMessage> messages, Map<String, MessageSendException> failures) {
		List<CompletableFuture<PublishResult>> begun = messages.stream()
			.map((message) -> transmit(message, true))
			.toList();
		Map<String, PublishResult> results = new HashMap<>();
		for (int i = 0; i < begun.size(); i++) {
			PreparedMessage message = messages.get(i);
			try {
				PublishResult result = MessageTransmitter.await(begun.get(i));
				results.put(message.uid(), result);
				message.sent(result);
			}
			catch (MessageSendException ex) {
				failures.put(message.uid(), ex);
				message.failed(ex);
			}
		}
		return results;
	}

	private static @Nullable MessageSendException refusal(String topic, String what, PublishScript.Result reply) {
		String queue = GroupName.of(topic, String.valueOf(reply.refusedBy()));
		SendReply.Overdue overdue = reply.overdue();
		if (overdue != null) {
			return new MessageSendException(what + " was published to no group: " + overdue.why(), null);
		}
		SendReply.FullLine line = reply.fullLine();
		if (line != null) {
			return new QueueFullException(what + " was published to no group: " + line.why(queue), line.orderingKey());
		}
		return switch (reply.status()) {
			case FULL -> new QueueFullException(what + " was published to no group: the group '" + reply.refusedBy()
					+ "' has as many messages as 'redelay.queue.queues[" + queue
					+ "].max-length' allows. Have it drop what has waited longest with its '.overflow', or remove the group"
					+ " with QueueAdmin.topics().removeGroup if no listener consumes from it any more");
			case CLOSED -> new QueueClosedException(what + " was published to no group: the group '" + reply.refusedBy()
					+ "' is closed for new messages until QueueAdmin.control().reopen(\"" + queue + "\") is called");
			default -> null;
		};
	}

	private static String what(PreparedMessage message) {
		String id = message.message().id();
		return "A message to the topic '" + message.message().queue() + "'"
				+ ((id != null) ? " with the id '" + id + "'" : "");
	}

}
