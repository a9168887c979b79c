package io.redelay.queue.script;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.CopiesRequest;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.request.RequestProtocol.Attempt;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.SenderState;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The scripts by which an instance sends messages to queues.
 *
 * @param context what all scripts that add messages share
 * @param ticksGone called with a queue when a send has dropped the message of a tick
 */
public record SendScripts(SendingContext context, Consumer<String> ticksGone) {

	private static final Log logger = PlainLog.of(SendScripts.class);

	private static final int MAX_MESSAGES = 1000;

	public SendScript send() {
		return new SendScript(this.context, this.ticksGone);
	}

	/**
	 * Opens a lane to send to a queue on.
	 * @param lane a new lane
	 * @return the lane, when it is open
	 */
	public CompletableFuture<String> openSender(String queue, String lane) {
		this.context.expiries().forget(queue); // the queue may have been forgotten since
		return new SenderScript(this.context.runner()).open("Opening a sender of the queue '" + queue + "'", queue,
				lane);
	}

	CompletableFuture<SenderState> checkSender(String queue, String lane) {
		return new SenderScript(this.context.runner()).check(queue, lane);
	}

	CompletableFuture<Void> register(String queue) {
		return new NameLists(this.context.runner()).addQueue(queue);
	}

	/**
	 * Returns how messages are sent to a queue.
	 * @param queue the queue
	 * @param terms the terms on which they are sent
	 * @return the protocol of a batcher
	 */
	public RequestProtocol<NewMessage, SendReply> protocol(String queue, Terms terms) {
		return new RequestProtocol<>(
				new RequestProtocol.Settings(queue, Rollback.Lane.SENDER, MAX_MESSAGES, terms.maxWaiting()),
				NewMessage::bytes, () -> open(queue), (lane, seq, renews, messages, attempt) -> {
					boolean answered = attempt.wasAnswered();
					if (!answered) {
						terms.requested().accept(queue);
					}
					CompletableFuture<SendReply> sent = send().run(queue,
							new SendRequest(lane, seq, renews, messages,
									(attempt == Attempt.FIRST) ? terms.limit() : null, attempt.holdBack(), answered,
									terms.handedOver(), answered ? null : CopiesRequest.of(messages)));
					return answered ? sent : sent.thenApply((reply) -> logDropped(queue, reply));
				}, (lane) -> checkSender(queue, lane));
	}

	private CompletableFuture<String> open(String queue) {
		// In this order: see QueueNames#forget.
		return openSender(queue, this.context.newLane().get())
			.thenCompose((lane) -> register(queue).thenApply((registered) -> lane));
	}

	/**
	 * Logs which messages were dropped to make room.
	 */
	static SendReply logDropped(String queue, SendReply reply) {
		if (!reply.dropped().isEmpty()) {
			logger.warn("The queue '" + queue + "' is full, and dropped " + reply.dropped().size()
					+ " message(s) that had waited longest: " + reply.dropped());
		}
		return reply;
	}

	/**
	 * The terms on which messages are sent to a queue.
	 *
	 * @param maxWaiting how many messages wait at most; more are refused
	 * @param limit how long the queue may be, if that is limited
	 * @param handedOver for how long the queue remembers a uid, so that a repeated
	 * message is ignored; {@code null} if no other instance may send the messages
	 * @param requested called with the queue before each request leaves; must be quick
	 */
	public record Terms(int maxWaiting, @Nullable LengthLimit limit, @Nullable Duration handedOver,
			Consumer<String> requested) {

		/**
		 * Terms of a sender that does not ask when requests leave.
		 */
		public Terms(int maxWaiting, @Nullable LengthLimit limit, @Nullable Duration handedOver) {
			this(maxWaiting, limit, handedOver, (queue) -> {
			});
		}

	}

}
