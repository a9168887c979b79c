package io.redelay.queue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests that add messages to the groups of a topic.
 */
final class PublishTransport implements RequestTransport<NewMessage, PublishReply> {

	private static final Log logger = LogFactory.getLog(PublishTransport.class);

	private final TopicStore store;

	private final String topic;

	private final Function<String, @Nullable LengthLimit> limits;

	private final @Nullable Duration handedOver;

	private final Function<String, CompletableFuture<Void>> configured;

	/**
	 * Creates a transport.
	 * @param configured called with a topic; completes when Redis has the configuration
	 * of the topic
	 */
	PublishTransport(TopicStore store, String topic, Function<String, @Nullable LengthLimit> limits,
			@Nullable Duration handedOver, Function<String, CompletableFuture<Void>> configured) {
		this.store = store;
		this.topic = topic;
		this.limits = limits;
		this.handedOver = handedOver;
		this.configured = configured;
	}

	@Override
	public CompletableFuture<String> open() {
		return this.configured.apply(this.topic).thenCompose((done) -> this.store.open(this.topic));
	}

	@Override
	public CompletableFuture<PublishReply> transmit(String lane, long seq, boolean renews, List<NewMessage> messages,
			boolean again) {
		return publish(new SendRequest(lane, seq, renews, messages, null, again ? SendRequest.HOLD_BACK : null, false,
				this.handedOver, null))
			.thenApply((reply) -> {
				reply.groups().forEach(this::tellDropped);
				return reply;
			});
	}

	private void tellDropped(String group, SendReply reply) {
		if (!reply.dropped().isEmpty()) {
			logger.warn("The group '" + group + "' of the topic '" + this.topic + "' is full, and dropped "
					+ reply.dropped().size() + " message(s) that had waited longest: " + reply.dropped());
		}
	}

	@Override
	public CompletableFuture<PublishReply> repeat(String lane, long seq, List<NewMessage> messages, boolean unknown) {
		return publish(new SendRequest(lane, seq, false, messages, null, SendRequest.holdBack(unknown), true,
				this.handedOver, null));
	}

	private CompletableFuture<PublishReply> publish(SendRequest request) {
		return this.store.publish(this.topic, request, request.again() ? (group) -> null : this.limits);
	}

	@Override
	public CompletableFuture<SenderState> check(String lane) {
		return this.store.check(this.topic, lane);
	}

	@Override
	public Instant time(PublishReply reply) {
		return reply.time();
	}

	@Override
	public LaneStatus status(PublishReply reply) {
		return reply.status();
	}

	@Override
	public boolean isTooMany(PublishReply reply) {
		return reply.status() == LaneStatus.FULL || reply.status() == LaneStatus.OVERDUE;
	}

	@Override
	public PublishReply part(PublishReply reply, int first, int size) {
		return reply.part(first, size);
	}

	@Override
	public long bytes(NewMessage message) {
		return message.envelope().length;
	}

}
