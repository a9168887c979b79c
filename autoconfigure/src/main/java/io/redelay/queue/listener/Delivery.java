package io.redelay.queue.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.DeliveryInfo;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.listener.failure.ConversionFailure;
import io.redelay.queue.listener.failure.DeliveryFacts;
import io.redelay.queue.listener.failure.RetryBackoff;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.Settlement;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.util.Assert;
import org.springframework.util.CollectionUtils;

/**
 * A message in the hands of a container, from its claim to its settlement. The first word
 * about it counts.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Delivery implements Acknowledgment {

	/**
	 * How many headers a message has beside its sender's, roughly.
	 */
	private static final int OWN_HEADERS = 12;

	private final DeliveryOwner owner;

	private final DeliveryContext context;

	private final ClaimedMessage claimed;

	private volatile long laneEpoch;

	private final Instant claimTime;

	private final long claimNanos;

	private final AtomicBoolean settled = new AtomicBoolean();

	private volatile @Nullable Envelope envelope;

	private volatile @Nullable Message<?> intercepted;

	private volatile @Nullable Throwable conversionFailure;

	private volatile @Nullable Runnable whenSettled;

	private volatile @Nullable HandlingState handling;

	private volatile boolean alone;

	Delivery(DeliveryOwner owner, DeliveryContext context, ClaimedMessage claimed, long laneEpoch, Instant claimTime,
			long claimNanos) {
		this.owner = owner;
		this.context = context;
		this.claimed = claimed;
		this.laneEpoch = laneEpoch;
		this.claimTime = claimTime;
		this.claimNanos = claimNanos;
		this.alone = claimed.suspect();
	}

	/**
	 * Says the same of several deliveries of one queue, in one request.
	 * @param deliveries the deliveries
	 * @param word what is said of each
	 */
	public static void settleTogether(List<Delivery> deliveries, Consumer<Delivery> word) {
		deliveries.get(0).owner.gather(() -> deliveries.forEach(word));
	}

	/**
	 * What a handler may want to know of the delivery.
	 * @return the information
	 */
	public DeliveryInfo info() {
		return facts().info();
	}

	/**
	 * The message as it was sent, its payload not converted yet; or what interceptors
	 * made of it.
	 * @return the message
	 */
	public Message<?> message() {
		Message<?> other = this.intercepted;
		if (other != null) {
			return other;
		}
		Envelope read = envelope();
		Map<String, Object> headers = CollectionUtils.newHashMap(read.headers().size() + OWN_HEADERS);
		headers.putAll(read.headers());
		headers.put(MessageHeaders.CONTENT_TYPE, read.contentType());
		putOwnHeaders(headers, read);
		return MessageBuilder.createMessage(read.payload(), new DeliveryHeaders(headers));
	}

	private void putOwnHeaders(Map<String, Object> headers, Envelope read) {
		headers.put(QueueHeaders.ID, id());
		headers.put(QueueHeaders.UID, uid());
		headers.put(QueueHeaders.QUEUE, queue());
		headers.put(QueueHeaders.ATTEMPT, attempt());
		headers.put(QueueHeaders.FAILURES, this.claimed.failures());
		headers.put(QueueHeaders.CRASHES, this.claimed.crashes());
		headers.put(QueueHeaders.SENT_AT, read.sentAt());
		headers.put(QueueHeaders.DUE_AT, read.dueAt());
		headers.put(QueueHeaders.LISTENER, this.context.listener());
		headers.put(QueueHeaders.ACKNOWLEDGMENT, this);
	}

	/**
	 * Has another message handled in place of what was sent, with Redelay's own headers;
	 * or what was sent, for {@code null}.
	 */
	void intercept(@Nullable Message<?> other) {
		if (other == null || other.getHeaders() instanceof DeliveryHeaders) {
			this.intercepted = other;
			return;
		}
		Map<String, Object> headers = new HashMap<>(other.getHeaders());
		headers.keySet().removeIf(Delivery::isOwn);
		headers.remove(MessageHeaders.ID);
		headers.remove(MessageHeaders.TIMESTAMP);
		Envelope read = envelope();
		read.headers().forEach((name, value) -> {
			if (isOwn(name)) {
				headers.put(name, value);
			}
		});
		putOwnHeaders(headers, read);
		this.intercepted = MessageBuilder.createMessage(other.getPayload(), new DeliveryHeaders(headers));
	}

	private static boolean isOwn(String header) {
		return header.startsWith(QueueHeaders.PREFIX);
	}

	/**
	 * Whether the message is settled, so that nothing said of it counts any more.
	 * @return whether it is
	 */
	public boolean isSettled() {
		return this.settled.get();
	}

	@Override
	public void acknowledge() {
		settle(() -> Settlement.ack(uid(), this.claimed.claim()));
	}

	@Override
	public void nack() {
		nacked(null);
	}

	@Override
	public void nack(Duration delay) {
		Assert.isTrue(!delay.isNegative(), () -> "'delay' must not be negative: " + delay);
		if (DueTime.isPossible(delay)) {
			nacked(delay);
		}
		else {
			// Thrown at whoever calls this, it might be told to nobody, and the message
			// would be held for ever.
			failed(new IllegalArgumentException("'delay' of a nack must be 0 to 3650 days: " + delay));
		}
	}

	@Override
	public void reject(String reason) {
		settle(() -> this.context.policy().rejected(facts(), reason));
	}

	@Override
	public boolean isCancelled() {
		try {
			return this.owner.isCancelled(uid()).get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new QueueException("The thread was interrupted while it asked whether the " + this + " was cancelled",
					ex);
		}
		catch (ExecutionException ex) {
			throw new QueueException("It is unknown whether the " + this + " was cancelled", ex.getCause());
		}
	}

	/**
	 * The message does not fit its handler, and never will.
	 * @param failure why
	 */
	public void conversionFailed(Throwable failure) {
		this.conversionFailure = failure;
		settle(() -> this.context.policy().conversionFailed(facts(), failure));
	}

	/**
	 * Why the message does not fit its handler, if that was found.
	 */
	@Nullable Throwable conversionFailure() {
		return this.conversionFailure;
	}

	/**
	 * The handling of the message failed.
	 * @param failure why
	 */
	void failed(Throwable failure) {
		settle(() -> this.context.policy().failed(facts(), failure, null));
	}

	private void nacked(@Nullable Duration delay) {
		settle(() -> this.context.policy().nacked(facts(), delay));
	}

	/**
	 * It cannot be worked out how the handling of the message ended.
	 * @param failure why not
	 */
	void undecided(Throwable failure) {
		settle(() -> this.context.policy().undecided(facts(), failure));
	}

	/**
	 * The handling of the message failed, and that has been dealt with.
	 * @param failure why it failed
	 */
	void recovered(Throwable failure) {
		settle(() -> this.context.policy().recovered(facts(), failure));
	}

	/**
	 * The message was not handled and goes back, with nothing counted.
	 * @param delay how long until it can be claimed again
	 */
	void giveBack(Duration delay) {
		settle(() -> Settlement.giveBack(uid(), this.claimed.claim(), delay));
	}

	/**
	 * What gives the message back while it is still handled.
	 */
	Settlement givenBack() {
		return Settlement.giveBack(uid(), this.claimed.claim(), Duration.ZERO);
	}

	/**
	 * The message is no longer this container's to settle.
	 * @return whether it was not settled before
	 */
	boolean forsake() {
		return this.settled.compareAndSet(false, true);
	}

	/**
	 * Reads the message and sees whether it may be handled; settles it if not.
	 * @return whether it may
	 */
	boolean open() {
		if (isSettled()) {
			return false;
		}
		if (!this.owner.mayStart(this)) {
			giveBack(Duration.ZERO);
			return false;
		}
		try {
			Envelope read = this.context.codec().read(this.claimed.envelope());
			this.envelope = read;
			return isAllowed(read);
		}
		catch (RuntimeException ex) {
			// Whoever wrote this, another program perhaps: it must not end the thread
			// that
			// reads it.
			conversionFailed(ConversionFailure.exception("The envelope cannot be read", ex));
			return false;
		}
		catch (Error ex) {
			// Memory, most likely, of which there may be more another time.
			failed(ex);
			return false;
		}
	}

	private boolean isAllowed(Envelope read) {
		if (crashes() >= this.context.policy().maxAttempts(read.maxAttempts())) {
			settle(() -> this.context.policy().crashed(facts()));
			return false;
		}
		Duration timeToLive = read.timeToLive();
		if (timeToLive != null && !storeTime().isBefore(read.dueAt().plus(timeToLive))) {
			settle(() -> this.context.policy().expired(facts(), read));
			return false;
		}
		return true;
	}

	/**
	 * Reads the message's own maximum of attempts ahead of its handling.
	 * @return the number, or {@code null} if it has none, or cannot be read
	 */
	private @Nullable Integer maxAttemptsOfSender() {
		try {
			return this.context.codec().read(this.claimed.envelope()).maxAttempts();
		}
		catch (Throwable ex) {
			return null;
		}
	}

	/**
	 * Runs something when the message is settled, or at once if it is.
	 */
	void whenSettled(Runnable action) {
		this.whenSettled = action;
		if (isSettled()) {
			runWhenSettled();
		}
	}

	private void settle(Supplier<Settlement> settlement) {
		if (this.settled.compareAndSet(false, true)) {
			this.owner.settle(this, decide(settlement));
			runWhenSettled();
		}
	}

	/**
	 * Nothing may keep a message from being settled, not even an exception that cannot be
	 * printed.
	 */
	private Settlement decide(Supplier<Settlement> settlement) {
		try {
			return settlement.get();
		}
		catch (Throwable ex) {
			return decideAnyhow(ex);
		}
	}

	/**
	 * Not even a lack of memory may: what cannot be told is not told.
	 */
	private Settlement decideAnyhow(Throwable failure) {
		try {
			return this.context.policy().undecided(facts(), failure);
		}
		catch (Throwable ex) {
			return Settlement.retry(uid(), this.claimed.claim(), RetryBackoff.DEFAULTS.maxInterval());
		}
	}

	private void runWhenSettled() {
		Runnable action;
		synchronized (this) {
			action = this.whenSettled;
			this.whenSettled = null;
		}
		if (action != null) {
			action.run();
		}
	}

	/**
	 * A handling begins, of which this is a part.
	 */
	void handledBy(HandlingState handling) {
		this.handling = handling;
	}

	/**
	 * Whether a thread handles the message, or something is awaited that ends its
	 * handling.
	 */
	boolean isInHands() {
		HandlingState present = this.handling;
		return present != null && present.isUnderWay();
	}

	DeliveryOwner owner() {
		return this.owner;
	}

	long laneEpoch() {
		return this.laneEpoch;
	}

	/**
	 * Another lane holds the message now.
	 */
	void takenOver(long epoch) {
		this.laneEpoch = epoch;
	}

	/**
	 * Whether a suspect is handled alone: it was one at a death before, or one more death
	 * makes it dead.
	 */
	boolean isAccused() {
		int crashes = crashes();
		int max = this.context.policy().maxAttempts(maxAttemptsOfSender());
		return crashes < max && (crashes > 0 || crashes + 1 >= max);
	}

	boolean isSuspect() {
		return this.claimed.suspect();
	}

	boolean isAlone() {
		return this.alone;
	}

	void handleAlone() {
		this.alone = true;
	}

	String queue() {
		return this.context.queue();
	}

	String uid() {
		return this.claimed.uid();
	}

	String id() {
		Envelope read = this.envelope;
		return (read != null && read.id() != null) ? read.id() : uid();
	}

	int failures() {
		return this.claimed.failures();
	}

	int crashes() {
		return this.claimed.crashes();
	}

	int attempt() {
		return this.claimed.failures() + this.claimed.crashes() + 1;
	}

	long claim() {
		return this.claimed.claim();
	}

	Envelope envelope() {
		Envelope read = this.envelope;
		Assert.state(read != null, "The message has not been read yet");
		return read;
	}

	private DeliveryFacts facts() {
		return new DeliveryFacts(queue(), uid(), claim(), failures(), crashes(), this.envelope, storeTime());
	}

	/**
	 * How long the message has been held.
	 */
	long heldNanos(long nanoTime) {
		return nanoTime - this.claimNanos;
	}

	/**
	 * The store's clock now, as far as can be told here: not ahead of it.
	 */
	private Instant storeTime() {
		return this.claimTime.plusNanos(System.nanoTime() - this.claimNanos);
	}

	@Override
	public String toString() {
		return facts().toString();
	}

	/**
	 * Headers that do not cost an id and a time of their own.
	 */
	private static final class DeliveryHeaders extends MessageHeaders {

		DeliveryHeaders(Map<String, Object> headers) {
			super(headers, ID_VALUE_NONE, -1L);
		}

	}

}
