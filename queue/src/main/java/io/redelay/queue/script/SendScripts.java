package io.redelay.queue.script;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.CopiesRequest;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.request.RequestProtocol.Attempt;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The scripts by which an instance sends messages to queues.
 */
public final class SendScripts {

	private static final Log logger = LogFactory.getLog(SendScripts.class);

	private static final int MAX_MESSAGES = 1000;

	private final SendingContext context;

	private final NameLists names;

	private final OpenSenderScript openSender;

	private final CheckSenderScript checkSender;

	private final SendScript send;

	SendScripts(SendingContext context, Consumer<String> ticksGone) {
		this.context = context;
		this.names = new NameLists(context.runner());
		this.openSender = new OpenSenderScript(context.runner(), context.expiries());
		this.checkSender = new CheckSenderScript(context.runner());
		this.send = new SendScript(context, ticksGone);
	}

	public OpenSenderScript openSender() {
		return this.openSender;
	}

	CheckSenderScript checkSender() {
		return this.checkSender;
	}

	public SendScript send() {
		return this.send;
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
					CompletableFuture<SendReply> sent = this.send.run(queue,
							new SendRequest(lane, seq, renews, messages,
									(attempt == Attempt.FIRST) ? terms.limit() : null, attempt.holdBack(), answered,
									terms.handedOver(), answered ? null : CopiesRequest.of(messages)));
					return answered ? sent : sent.thenApply((reply) -> logDropped(queue, reply));
				}, (lane) -> this.checkSender.run(queue, lane));
	}

	private CompletableFuture<String> open(String queue) {
		// In this order: see NameStore#forget.
		return this.openSender.run(queue, this.context.newLane().get())
			.thenCompose((lane) -> this.names.add("Registering the queue '" + queue + "'", NameLists.QUEUES, queue)
				.thenApply((registered) -> lane));
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
