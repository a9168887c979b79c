package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.redelay.queue.QueueException;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.wire.WakeUpSource;
import org.jspecify.annotations.Nullable;

/**
 * Asks instances on their channels, and waits for the answers on its own one. That is
 * subscribed to while a question is open. Nothing is stored in Redis, and what is lost is
 * not repeated.
 * <p>
 * Safe for use by many threads.
 */
final class InstanceCalls implements WakeUpSource.Listener {

	private static final int MAX_OPEN = 100;

	private final Supplier<WakeUpSource> source;

	private final AtomicLong numbers = new AtomicLong();

	private final Map<String, Call> open = new ConcurrentHashMap<>();

	private WakeUpSource.@Nullable Subscription subscription;

	InstanceCalls(Supplier<WakeUpSource> source) {
		this.source = source;
	}

	/**
	 * Asks instances, and waits.
	 * @param instances their names in the store
	 * @param question the question
	 * @param longest how long to wait
	 * @param isEnough whether no other answer is needed after one
	 * @return the answers that came, by the instance
	 */
	Map<String, String> ask(Collection<String> instances, String question, Duration longest,
			Predicate<String> isEnough) {
		Call call = new Call(Set.copyOf(instances), question, isEnough);
		if (call.instances.isEmpty()) {
			return Map.of();
		}
		String number = Long.toString(this.numbers.incrementAndGet());
		try {
			begin(number, call);
			call.end.get(longest.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new QueueBackendException("The thread was interrupted while it waited for the answers of instances",
					ex);
		}
		catch (TimeoutException | ExecutionException ex) {
			// The others are silent.
		}
		finally {
			end(number);
		}
		if (!call.close()) {
			throw new QueueException(
					"No instance was asked: this one hears no answers, as it cannot subscribe to its channel in Redis");
		}
		return Map.copyOf(call.answers);
	}

	private void begin(String number, Call call) {
		synchronized (this) {
			if (this.open.size() >= MAX_OPEN) {
				throw new QueueException(MAX_OPEN + " questions to instances are open already: ask again later");
			}
			this.open.put(number, call);
			if (this.subscription == null) {
				this.subscription = this.source.get().subscribe(this);
			}
		}
		wakeUpAll();
	}

	private synchronized void end(String number) {
		this.open.remove(number);
		if (this.open.isEmpty() && this.subscription != null) {
			this.subscription.close();
			this.subscription = null;
		}
	}

	@Override
	public void wakeUp(String lane) {
	}

	/**
	 * Asks what was not asked yet, once answers are heard.
	 */
	@Override
	public void wakeUpAll() {
		synchronized (this) {
			if (this.subscription == null || !this.subscription.isActive()) {
				return;
			}
		}
		this.open.forEach((number, call) -> call.send(this.source.get(), number));
	}

	@Override
	public void answered(String number, String instance, String answer) {
		Call call = this.open.get(number);
		if (call != null) {
			call.answered(instance, answer);
		}
	}

	/**
	 * A question, and the answers so far.
	 */
	private static final class Call {

		private final Set<String> instances;

		private final String question;

		private final Predicate<String> isEnough;

		private final Map<String, String> answers = new ConcurrentHashMap<>();

		private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

		private boolean sent;

		Call(Set<String> instances, String question, Predicate<String> isEnough) {
			this.instances = instances;
			this.question = question;
			this.isEnough = isEnough;
		}

		void send(WakeUpSource source, String number) {
			synchronized (this) {
				if (this.sent) {
					return;
				}
				this.sent = true;
			}
			this.instances.forEach((instance) -> source.ask(instance, number, this.question));
		}

		/**
		 * From now on the question is not sent.
		 * @return whether it was
		 */
		synchronized boolean close() {
			boolean was = this.sent;
			this.sent = true;
			return was;
		}

		void answered(String instance, String answer) {
			if (!this.instances.contains(instance)) {
				return;
			}
			this.answers.put(instance, answer);
			if (this.answers.size() == this.instances.size() || this.isEnough.test(answer)) {
				this.end.complete(null);
			}
		}

	}

}
