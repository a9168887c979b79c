package io.redelay.queue.deadletter;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.SendScripts;

/**
 * Forwards dead messages to the dead-letter queues that their senders named. The copy is
 * sent while the message is still held, under its uid, which the other queue remembers
 * for a while. So a crash before the settlement loses no message, and creates no second
 * copy if the message dies again.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class DeadLetterCourier {

	/**
	 * For how long a queue remembers the messages forwarded to it.
	 */
	private static final Duration REMEMBERED = Duration.ofHours(1);

	private static final int MAX_WAITING = 1000;

	/**
	 * How many queues are remembered that nothing is under way to. Handlers name the
	 * queues.
	 */
	private static final int MAX_QUEUES = 1000;

	private final EnvelopeCodec codec;

	private final FailedAttemptCodec attempts;

	private final RequestBatchers<NewMessage, SendReply> senders;

	/**
	 * Creates a courier.
	 * @param runtime the parts that all containers share to manage dead messages
	 */
	public DeadLetterCourier(DeadLetterRuntime runtime) {
		QueueScripts store = runtime.target();
		this.codec = runtime.codec();
		this.attempts = new FailedAttemptCodec(runtime.mapper());
		this.senders = new RequestBatchers<>(
				(queue) -> store.sends()
					.protocol(queue, new SendScripts.Terms(MAX_WAITING, LengthLimit.EXEMPT, REMEMBERED)),
				store.replayMemory())
			.atMost(MAX_QUEUES);
	}

	/**
	 * Forwards a message.
	 * @param queue the queue in which it died
	 * @param uid its uid
	 * @param envelope its envelope
	 * @param target the queue that its copy goes to
	 * @param cause the cause of its death, as JSON
	 * @param time the time of its death, by the clock of the store
	 * @return a future that completes when the other queue has the copy, and fails if it
	 * does not take it; on a thread that must not block
	 */
	public CompletableFuture<Void> forward(String queue, String uid, Envelope envelope, String target, String cause,
			Instant time) {
		try {
			DeadLetter letter = DeadLetter
				.of(new DeadLetter.Death(queue, uid, envelope, this.attempts.read(cause), time), uid, this.codec);
			return this.senders.submit(target, List.of(letter.copy()), true).thenAccept((reply) -> {
				if (reply.status() != LaneStatus.OK) {
					throw new StoreException("The queue '" + target + "' takes none: it is " + reply.status(), null);
				}
			});
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
