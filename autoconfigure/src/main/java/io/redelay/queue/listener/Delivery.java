package io.redelay.queue.listener;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.CancellationReason;
import io.redelay.queue.CancellationToken;
import io.redelay.queue.DeadlinePassedException;
import io.redelay.queue.DeliveryInfo;
import io.redelay.queue.MessageStoppedException;
import io.redelay.queue.Checkpoint;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.QueueException;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.listener.deadletter.DeadLetterCourier;
import io.redelay.queue.listener.failure.ConversionFailure;
import io.redelay.queue.listener.failure.DeliveryFacts;
import io.redelay.queue.listener.failure.RetryBackoff;
import io.redelay.queue.listener.idempotency.KeyedRun;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.Completion;
import io.redelay.queue.store.CompletionSection;
import io.redelay.queue.store.EndedOtherwise;
import io.redelay.queue.store.Ending;
import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.KeptMessage;
import io.redelay.queue.store.KeptResult;
import io.redelay.queue.store.NextMessages;
import io.redelay.queue.store.Settlement;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.util.Assert;

/**
 * A message that a container holds, from its claim to its settlement. Only the first
 * settlement counts; each later one does nothing.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Delivery implements Acknowledgment {

	private static final Log logger = LogFactory.getLog(Delivery.class);

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

	private volatile boolean acknowledgedFirst;

	private final AtomicBoolean lost = new AtomicBoolean();

	/**
	 * The run that has the message's idempotency key; {@code null} if it has none, or
	 * none yet.
	 */
	private volatile @Nullable KeyedRun run;

	/**
	 * How the message ended if that is not what the handler made of it.
	 */
	private volatile @Nullable String endedAs;

	/**
	 * What is done before the settlement of a tick; {@code null} if nothing is.
	 */
	private volatile @Nullable Supplier<CompletableFuture<?>> endOfRun;

	/**
	 * What the handler returned.
	 */
	private volatile @Nullable Object returned;

	/**
	 * What the handler sends with the acknowledgement.
	 */
	private volatile @Nullable NextMessages next;

	/**
	 * Tells the handler to end; {@code null} as long as nobody has asked, and nobody has
	 * had it turn.
	 */
	private volatile @Nullable DeliveryToken token;

	/**
	 * What the handler keeps beside the message; {@code null} while that is nothing.
	 */
	private volatile @Nullable DeliveryWork work;

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
	 * Settles several deliveries, those of one queue or partition with one request.
	 * @param deliveries the deliveries
	 * @param settlement settles each
	 */
	public static void settleTogether(List<Delivery> deliveries, Consumer<Delivery> settlement) {
		gather(deliveries, () -> deliveries.forEach(settlement));
	}

	/**
	 * Runs what settles several deliveries, each owner's with one request.
	 */
	static void gather(List<Delivery> deliveries, Runnable settlements) {
		if (deliveries.size() == 1) {
			deliveries.get(0).owner.gather(settlements);
			return;
		}
		Runnable all = settlements;
		for (DeliveryOwner owner : deliveries.stream().map(Delivery::owner).collect(Collectors.toSet())) {
			Runnable inner = all;
			all = () -> owner.gather(inner);
		}
		all.run();
	}

	/**
	 * Returns the facts of the delivery that a handler can ask for.
	 * @return the facts
	 */
	public DeliveryInfo info() {
		return facts(false).info();
	}

	/**
	 * Notes how far the handling has come.
	 * @param fraction how much is done, from 0 to 1
	 * @param text what the handler says of it, or {@code null}
	 */
	void progress(double fraction, @Nullable String text) {
		if (!(fraction >= 0 && fraction <= 1)) {
			throw new IllegalArgumentException("'fraction' must be from 0 to 1: " + fraction
					+ ", which the handler told of the " + this + " as its progress");
		}
		keep((kept) -> kept.report().progress(fraction, text, storeTime()));
	}

	/**
	 * Notes a line for the log of the message.
	 */
	void log(String line) {
		Assert.notNull(line, "'line' must not be null");
		keep((kept) -> kept.report().log(line, storeTime()));
	}

	/**
	 * Returns the checkpoint of the message.
	 * @param <T> the type of its state
	 * @param converter converts the state
	 * @param type the type of its state
	 * @return the checkpoint
	 * @throws PayloadConversionException if what an earlier delivery saved does not fit
	 * the type
	 */
	public <T> Checkpoint<T> checkpoint(CheckpointConverter converter, Type type) {
		Assert.state(!this.acknowledgedFirst, () -> "The " + this
				+ " was acknowledged before its handling, so there is no other delivery that could read a checkpoint");
		DeliveryWork kept = work();
		return new SavedCheckpoint<>(kept.checkpoint(this.claimed.checkpoint(), this.context.policy().resetsAttempts()),
				new CheckpointWriter(kept, this.owner.work()), converter, type);
	}

	/**
	 * Notes something that is kept beside the message, unless that is settled or lost.
	 */
	private void keep(Consumer<DeliveryWork> change) {
		DeliveryWork kept = work();
		if (isSettled() || kept.isLost()) {
			this.owner.work().tooLate(kept);
			return;
		}
		change.accept(kept);
		this.owner.work().changed(kept);
	}

	private DeliveryWork work() {
		DeliveryWork present = this.work;
		if (present == null) {
			synchronized (this) {
				present = this.work;
				if (present == null) {
					present = new DeliveryWork(new WorkHolder(), this.owner.work().settings());
					this.work = present;
				}
			}
		}
		return present;
	}

	/**
	 * Has all written again that is kept beside the message.
	 */
	void forgetWork() {
		DeliveryWork kept = this.work;
		if (kept != null) {
			kept.forgotten();
			this.owner.work().changed(kept);
		}
	}

	/**
	 * Sends a settlement, after what the handler keeps beside the message is written if
	 * that stays.
	 */
	private void settleAfterWork(Settlement decided) {
		DeliveryWork kept = this.work;
		if (kept == null || !staysAfter(decided)) {
			this.owner.settle(this, decided);
			return;
		}
		this.owner.work().flushToSettle(kept).thenRun(() -> this.owner.settle(this, decided));
	}

	private static boolean staysAfter(Settlement decided) {
		Completion completion = decided.completion();
		return !decided.isAcknowledgment()
				|| (completion != null && completion.sections().stream().anyMatch(KeptMessage.class::isInstance));
	}

	/**
	 * Returns what tells the handler to end.
	 * @return the token, the same one at each call
	 */
	public CancellationToken cancellation() {
		return token();
	}

	/**
	 * Returns what tells the handler of several messages to end.
	 * @param deliveries the deliveries, of one invocation
	 * @return a token that turns when those of all deliveries have turned
	 */
	public static CancellationToken cancellation(List<Delivery> deliveries) {
		return DeliveryToken.ofAll(deliveries.stream().map(Delivery::cancellation).toList());
	}

	/**
	 * Tells the handler to end.
	 * @param callbacks runs the callbacks of the handler
	 */
	void turn(CancellationReason reason, Executor callbacks) {
		token().turn(reason, callbacks);
	}

	/**
	 * Returns whether the message was cancelled, as far as that is known here.
	 */
	boolean isCalledOff() {
		return reason() == CancellationReason.CANCELLED;
	}

	/**
	 * Returns whether the end of the handling is no failure, whatever the handler throws:
	 * the message was cancelled, or somebody else may have it.
	 */
	boolean isGivenUp() {
		return isCalledOff() || reason() == CancellationReason.LEASE_LOST;
	}

	/**
	 * Returns why the handler was told to end, or {@code null} if it was not.
	 */
	@Nullable CancellationReason reason() {
		DeliveryToken present = this.token;
		return (present != null) ? present.reason() : null;
	}

	private DeliveryToken token() {
		DeliveryToken present = this.token;
		if (present == null) {
			synchronized (this) {
				present = this.token;
				if (present == null) {
					present = new DeliveryToken();
					this.token = present;
				}
			}
		}
		return present;
	}

	/**
	 * Returns whether the message has the payloads of several that were sent with one
	 * key, so that it is a batch by itself.
	 * @return whether its payload is a list of payloads
	 */
	public boolean isAggregate() {
		return EnvelopeCodec.isAggregate(this.claimed.envelope());
	}

	/**
	 * Returns the message as its sender sent it, with its payload not converted yet, or
	 * the message with which an interceptor replaced it.
	 * @return the message
	 */
	public Message<?> message() {
		Message<?> other = this.intercepted;
		if (other != null) {
			return other;
		}
		return DeliveryMessages.create(this, envelope());
	}

	/**
	 * Replaces the message that the handler is given, and adds Redelay's own headers to
	 * the replacement; {@code null} restores the message as it was sent.
	 */
	void intercept(@Nullable Message<?> other) {
		this.intercepted = (other != null) ? DeliveryMessages.replace(other, this, envelope()) : null;
	}

	/**
	 * Returns whether the message is settled, so that another settlement does nothing.
	 * @return whether it is
	 */
	public boolean isSettled() {
		return this.settled.get();
	}

	@Override
	public void acknowledge() {
		settle(true, () -> Settlement.ack(uid(), this.claimed.claim()));
	}

	/**
	 * Acknowledges the message before its handling, so that it is delivered once at most.
	 * @return completes with whether the handler may be called for it; on a thread that
	 * must not block
	 */
	CompletableFuture<Boolean> acknowledgeFirst() {
		if (!this.settled.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(false);
		}
		this.acknowledgedFirst = true;
		return this.owner.acknowledgeFirst(this, Settlement.ack(uid(), this.claimed.claim()));
	}

	/**
	 * Takes note that the handling of the message has ended that was acknowledged before.
	 */
	void handled() {
		afterRun(() -> this.owner.handled(this));
	}

	/**
	 * Reports, once, that the handling of the message failed that was acknowledged
	 * before.
	 */
	void lost(Throwable failure) {
		if (this.lost.compareAndSet(false, true)) {
			this.context.policy().lost(facts(), failure);
		}
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
			// If this method threw an exception and the handler swallowed it, the
			// container would hold the message for ever.
			failed(new IllegalArgumentException("'delay' of a nack must be 0 to 3650 days: " + delay));
		}
	}

	@Override
	public void reject(String reason) {
		settle(() -> this.context.policy().rejected(facts(), reason));
	}

	@Override
	public boolean isCancelled() {
		if (isCalledOff()) {
			return true;
		}
		try {
			boolean cancelled = this.owner.isCancelled(uid()).get();
			if (cancelled) {
				turn(CancellationReason.CANCELLED, Runnable::run);
			}
			return cancelled;
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
	 * Settles the message after it could not be converted for its handler.
	 * @param failure why
	 */
	public void conversionFailed(Throwable failure) {
		this.conversionFailure = failure;
		if (this.acknowledgedFirst) {
			lost(failure);
		}
		settle(() -> this.context.policy().conversionFailed(facts(), failure));
	}

	/**
	 * Returns why the message could not be converted for its handler, or {@code null} if
	 * no conversion failed.
	 */
	@Nullable Throwable conversionFailure() {
		return this.conversionFailure;
	}

	/**
	 * Settles the message after its handling failed.
	 */
	void failed(Throwable failure) {
		settle(() -> this.context.policy().failed(facts(), failure, null));
	}

	/**
	 * Ends the handling of the message because its deadline has passed, unless the
	 * message was settled in time.
	 * @return whether it was not
	 */
	boolean overdue(DeadlinePassedException failure, Executor callbacks) {
		if (isSettled() && !this.acknowledgedFirst) {
			return false;
		}
		settle(() -> this.context.policy()
			.overdue(facts(), envelope().overdue(String.valueOf(failure.getMessage())), failure));
		turn(CancellationReason.DEADLINE, callbacks);
		return true;
	}

	/**
	 * Returns whether the handler still works for this message: not if it is settled, or
	 * if it was acknowledged before and the handler was told to end.
	 */
	boolean isWanted() {
		CancellationReason turned = reason();
		return this.acknowledgedFirst ? turned == null || turned == CancellationReason.SHUTDOWN : !isSettled();
	}

	/**
	 * Returns until when the message is handled, by the clock of the store, or
	 * {@code null} if it has no deadline.
	 */
	@Nullable Instant deadline() {
		return envelope().deadline();
	}

	private void nacked(@Nullable Duration delay) {
		settle(() -> this.context.policy().nacked(facts(), delay));
	}

	/**
	 * Settles the message after the code that was to decide about it failed itself.
	 */
	void undecided(Throwable failure) {
		settle(() -> this.context.policy().undecided(facts(), failure));
	}

	/**
	 * Settles the message after its handling failed and the error handler dealt with the
	 * failure.
	 */
	void recovered(Throwable failure) {
		settle(true, () -> this.context.policy().recovered(facts(), failure));
	}

	/**
	 * Gives the message back to the queue unhandled, in its place, without counting an
	 * attempt.
	 */
	public void giveBack() {
		giveBack(Duration.ZERO);
	}

	/**
	 * Gives the message back to the queue unhandled, without counting an attempt.
	 * @param delay how long until it can be claimed again
	 */
	void giveBack(Duration delay) {
		settle(() -> Settlement.giveBack(uid(), this.claimed.claim(), delay));
	}

	/**
	 * Gives the message back, with no attempt counted, because its handler stopped before
	 * its end.
	 */
	void stopped(MessageStoppedException stop) {
		giveBack(this.context.stops().delay(this, reason(), stop));
	}

	/**
	 * Gives the message back to the queue unhandled, and lets the queue or the fairness
	 * key of the message wait.
	 * @param duration for how long
	 * @param ofKey whether only the fairness key is to wait
	 */
	void waiting(Duration duration, boolean ofKey) {
		settle(() -> Settlement.waiting(uid(), this.claimed.claim(), duration, ofKey));
	}

	/**
	 * Returns a settlement that gives the message back while its handler still runs. It
	 * does not mark this delivery as settled.
	 */
	Settlement givenBack() {
		return Settlement.giveBack(uid(), this.claimed.claim(), Duration.ZERO);
	}

	/**
	 * Marks the message as settled without any settlement, because its queue was deleted.
	 * @return whether it was not settled before
	 */
	boolean drop() {
		boolean dropped = this.settled.compareAndSet(false, true);
		KeyedRun keyed = this.run;
		if (dropped && keyed != null) {
			keyed.end(false, () -> {
			});
		}
		return dropped;
	}

	/**
	 * Returns the run that has the message's idempotency key, or {@code null} if there is
	 * none.
	 */
	@Nullable KeyedRun run() {
		return this.run;
	}

	/**
	 * Notes the run that handles the message, so that the settlement ends it.
	 */
	void runs(KeyedRun keyed) {
		this.run = keyed;
		if (isSettled()) {
			keyed.end(false, () -> {
			});
		}
	}

	/**
	 * Acknowledges the message without its handling, because a message with the same key
	 * was handled.
	 */
	void duplicate() {
		this.endedAs = QueueProcessContext.DUPLICATE;
		settle(() -> Settlement.ack(uid(), this.claimed.claim()));
	}

	/**
	 * Acknowledges the message of a tick that does not run.
	 */
	void skipTick() {
		settle(() -> Settlement.ack(uid(), this.claimed.claim()));
	}

	/**
	 * Notes what is done before the settlement, because the message is a tick.
	 */
	void endsRun(@Nullable Supplier<CompletableFuture<?>> end) {
		this.endOfRun = end;
	}

	/**
	 * Gives the message back, because a message with the same key is being handled, or
	 * because it cannot be found out.
	 */
	void postpone(Duration delay) {
		this.endedAs = QueueProcessContext.POSTPONED;
		giveBack(delay);
	}

	/**
	 * Returns how the message ended if that is not what the handler made of it: the
	 * handler was not called because of the idempotency key, or what it decided does not
	 * count, for the message was cancelled or lost; else {@code null}.
	 */
	@Nullable String endedAs() {
		return this.endedAs;
	}

	/**
	 * Reads the envelope and checks whether the handler may be called for the message. If
	 * it may not, this method settles the message.
	 * @return whether the handler may be called
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
			// Another program may have written the envelope.
			conversionFailed(ConversionFailure.exception("The envelope cannot be read", ex));
			return false;
		}
		catch (Error ex) {
			// Most likely an OutOfMemoryError, which need not occur at another attempt.
			failed(ex);
			return false;
		}
	}

	private boolean isAllowed(Envelope read) {
		if (isGivenUp()) {
			settle(this::givenUp);
			return false;
		}
		if (crashes() >= this.context.policy().maxAttempts(read.maxAttempts())) {
			settle(() -> this.context.policy().crashed(facts()));
			return false;
		}
		Ending ending = read.lifetime().isLimited() ? read.ended(storeTime()) : null;
		if (ending != null) {
			settle(() -> this.context.policy().expired(facts(), ending));
			return false;
		}
		return true;
	}

	/**
	 * Runs an action when the message is settled, or at once if it is settled already.
	 */
	void whenSettled(Runnable action) {
		this.whenSettled = action;
		if (isSettled()) {
			runWhenSettled();
		}
	}

	private void settle(Supplier<Settlement> settlement) {
		settle(false, settlement);
	}

	/**
	 * Takes note of what the handler returned, which is kept if somebody asks for it.
	 * @param value the value, or {@code null} if there is none
	 */
	public void returned(@Nullable Object value) {
		this.returned = value;
	}

	/**
	 * What an acknowledgement is together with what is kept of the message, and with what
	 * the handler sends. The former comes first.
	 */
	private Settlement completed(Settlement decided, boolean succeeded) {
		boolean acknowledged = decided.action() == Settlement.Action.ACK && !decided.isExpiry();
		NextMessages collected = this.next;
		Completion sends = (collected != null) ? collected.settled(acknowledged && this.endedAs == null) : null;
		Envelope read = this.envelope;
		if (!acknowledged) {
			return (decided.isAcknowledgment() && read != null) ? dropped(decided, read) : decided;
		}
		List<CompletionSection> sections = new ArrayList<>(
				(succeeded && read != null) ? this.context.retention().of(this, read, this.returned) : List.of());
		if (sends != null) {
			sections.addAll(sends.sections());
		}
		return sections.isEmpty() ? decided
				: Settlement.done(decided.uid(), decided.claim(), new Completion(sections, (counted) -> {
					if (sends != null) {
						sends.tell(counted);
					}
				}));
	}

	/**
	 * Has the instance told that waits for the result of a message whose time is over.
	 */
	private Settlement dropped(Settlement decided, Envelope read) {
		List<CompletionSection> told = this.context.retention().ofUnhandled(read, KeptResult::expired);
		return told.isEmpty() ? decided : Settlement.done(decided.uid(), decided.claim(), EndedOtherwise.expired(told));
	}

	/**
	 * Settles the message. If it has an idempotency key, the end of its run is recorded
	 * before the settlement is sent.
	 * @param succeeded whether its handling succeeded, so that no other message of its
	 * key is to be handled
	 */
	private void settle(boolean succeeded, Supplier<Settlement> settlement) {
		if (!this.settled.compareAndSet(false, true)) {
			return;
		}
		Settlement decided = completed(decide((!succeeded && isGivenUp()) ? this::givenUp : settlement), succeeded);
		KeyedRun keyed = this.run;
		Completion completion = decided.completion();
		if (keyed == null) {
			afterRun(() -> send(decided));
		}
		else if (completion == null || !decided.isAcknowledgment()) {
			keyed.end(succeeded, () -> afterRun(() -> send(decided)));
		}
		else {
			// If this instance died between the two, the message would be acknowledged as
			// a duplicate later, and what goes together with it would be lost.
			Settlement done = Settlement.done(uid(), decided.claim(),
					new Completion(completion.sections(), (counted) -> {
						completion.tell(counted);
						keyed.end(succeeded && counted, () -> {
						});
					}));
			afterRun(() -> settleAfterWork(done));
		}
		runWhenSettled();
	}

	/**
	 * Returns how a message goes on that is not to be handled here any more: as
	 * cancelled, or, if another instance may have it, as that says.
	 */
	private Settlement givenUp() {
		if (!isCalledOff()) {
			this.endedAs = QueueProcessContext.LOST;
			logger.info("The handling of the " + this + " has ended, and does not count: another instance may have it");
			return givenBack();
		}
		return cancelled();
	}

	private Settlement cancelled() {
		this.endedAs = QueueProcessContext.CANCELLED;
		logger.info("The " + this + " was cancelled while it was in hand, and has ended");
		Envelope read = this.envelope;
		List<CompletionSection> sections = (read != null) ? this.context.retention().ofCancelled(read) : List.of();
		return Settlement.cancel(uid(), claim(), sections.isEmpty() ? null : new Completion(sections, (counted) -> {
		}));
	}

	/**
	 * Tells the end of the run of a tick before its settlement lets the next one begin.
	 */
	private void afterRun(Runnable settlement) {
		Supplier<CompletableFuture<?>> end = this.endOfRun;
		if (end == null) {
			settlement.run();
			return;
		}
		CompletableFuture<?> told;
		try {
			told = end.get();
		}
		catch (Throwable ex) {
			told = CompletableFuture.failedFuture(ex);
		}
		told.whenComplete((done, failure) -> settlement.run());
	}

	/**
	 * Notes where what the handler sends with the acknowledgement is collected: for a
	 * batch, with the first acknowledgement.
	 */
	void sends(NextMessages collected) {
		this.next = collected;
	}

	/**
	 * Returns the settlement that was decided on, or another one if the decision throws,
	 * as when an exception cannot be printed. A message without a settlement would be
	 * held for ever.
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
	 * Sends the settlement. A message that died, and whose sender named a dead-letter
	 * queue, is handed on before, unless it was cancelled; if that queue does not take
	 * it, it is kept where it is.
	 */
	private void send(Settlement decided) {
		Envelope read = this.envelope;
		String target = (read != null) ? read.handling().deadLetterQueue() : null;
		DeadLetterCourier courier = this.context.deadLetters();
		if (decided.action() != Settlement.Action.BURY || read == null || target == null || courier == null) {
			settleAfterWork(decided);
			return;
		}
		findCancelled().whenComplete((cancelled, unknown) -> {
			if (unknown == null && cancelled) {
				settleAfterWork(decide(this::cancelled));
			}
			else {
				handOn(courier, read, target, decided);
			}
		});
	}

	/**
	 * Asks Redis whether the message was cancelled; fails in place of throwing anything.
	 */
	private CompletableFuture<Boolean> findCancelled() {
		try {
			return this.owner.isCancelled(uid());
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void handOn(DeadLetterCourier courier, Envelope read, String target, Settlement decided) {
		courier.handOn(queue(), uid(), read, target, decided.cause(), storeTime()).whenComplete((done, failure) -> {
			if (failure == null) {
				List<CompletionSection> told = this.context.retention()
					.ofUnhandled(read, (waiting) -> KeptResult.dead(waiting, decided.cause()));
				settleAfterWork(Settlement.done(uid(), claim(), EndedOtherwise.dead(decided.cause(), told)));
			}
			else {
				logger.warn("The " + this + " could not be handed on to the queue '" + target
						+ "', and is kept among the dead messages of its own: " + failure.getMessage());
				settleAfterWork(decided);
			}
		});
	}

	/**
	 * Returns a settlement even if there is not enough memory to record and report the
	 * failure.
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
	 * Notes which invocation of the handler has the message from now on.
	 */
	void handledBy(HandlingState handling) {
		this.handling = handling;
	}

	/**
	 * Returns whether an invocation of the handler has the message and is under way.
	 */
	boolean isInHands() {
		HandlingState present = this.handling;
		return present != null && present.isUnderWay();
	}

	DeliveryOwner owner() {
		return this.owner;
	}

	/**
	 * Returns the number of the lane, among those of its loop, that holds the message;
	 * see {@link HeldMessages}.
	 */
	long laneEpoch() {
		return this.laneEpoch;
	}

	/**
	 * Notes that another lane of the same loop holds the message now.
	 */
	void takenOver(long epoch) {
		this.laneEpoch = epoch;
	}

	/**
	 * Returns whether this message, which is a suspect, is handled alone: a lane died
	 * before while it held the message as a suspect, or one more crash would make the
	 * message dead.
	 */
	boolean isAccused() {
		return this.context.isAccused(this.claimed);
	}

	/**
	 * Returns the fairness key of the message, escaped as JSON, or {@code null} if it has
	 * none.
	 */
	@Nullable String fairnessKey() {
		try {
			return EnvelopeCodec.fairnessKey(this.claimed.envelope());
		}
		catch (RuntimeException ex) {
			// What cannot be read waits like a message without a key, until it is opened.
			return null;
		}
	}

	boolean isSuspect() {
		return this.claimed.suspect();
	}

	boolean isAlone() {
		return this.alone;
	}

	void handleAlone() {
		this.alone = true;
		this.handling = null;
	}

	String listener() {
		return this.context.listener();
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

	/**
	 * Returns the envelope as it was claimed.
	 */
	byte[] content() {
		return this.claimed.envelope();
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

	/**
	 * Returns what a decision about the message goes by: without its attempts if these
	 * are forgotten by now.
	 */
	private DeliveryFacts facts() {
		DeliveryWork kept = this.work;
		return facts(kept != null && kept.hasReset());
	}

	private DeliveryFacts facts(boolean reset) {
		return new DeliveryFacts(queue(), uid(), claim(), reset ? 0 : failures(), reset ? 0 : crashes(), this.envelope,
				storeTime());
	}

	/**
	 * Returns for how long the container has held the message.
	 */
	long heldNanos(long nanoTime) {
		return nanoTime - this.claimNanos;
	}

	/**
	 * Returns the present time by the clock of the store, or a time shortly before it.
	 */
	Instant storeTime() {
		return this.claimTime.plusNanos(this.context.clock().nanoTime() - this.claimNanos);
	}

	@Override
	public String toString() {
		return facts().toString();
	}

	/**
	 * The message as those see it who write what is kept beside it.
	 */
	private final class WorkHolder implements DeliveryWork.Holder {

		@Override
		public String uid() {
			return Delivery.this.uid();
		}

		@Override
		public long claim() {
			return Delivery.this.claim();
		}

		@Override
		public String queue() {
			return Delivery.this.queue();
		}

		@Override
		public boolean isSettled() {
			return Delivery.this.isSettled();
		}

		@Override
		public void lost() {
			Delivery.this.owner.lost(Delivery.this);
		}

		@Override
		public String toString() {
			return Delivery.this.toString();
		}

	}

}
