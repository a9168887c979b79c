package io.redelay.benchmarks.soak;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.send.QueueTemplate;
import org.jspecify.annotations.Nullable;

/**
 * Sends parcels from one thread.
 */
final class SoakSender {

	private static final int FLOOD_ON_THEIR_WAY = 16;

	private static final int ON_THEIR_WAY = 1000;

	private static final int DELAYED = 3;

	private static final int LONGEST_DELAY = 5000;

	private final QueueTemplate template;

	private final SplittableRandom random = new SplittableRandom(7);

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	SoakSender(QueueTemplate template) {
		this.template = template;
	}

	/**
	 * Sends as fast as it can, with 16 sends on their way.
	 * @return how many were sent
	 */
	int flood(Duration duration, int most) {
		Semaphore places = new Semaphore(FLOOD_ON_THEIR_WAY);
		long end = System.nanoTime() + duration.toNanos();
		int sent = 0;
		while (sent < most && System.nanoTime() - end < 0) {
			send(places, OutboundMessage.to(SoakApplication.QUEUE, Parcel.of(sent, Parcel.micros())));
			sent++;
		}
		await(places, FLOOD_ON_THEIR_WAY);
		return sent;
	}

	/**
	 * Sends with the same time between all, a tenth of them with a delay.
	 */
	void pace(int perSecond, int count) {
		Semaphore places = new Semaphore(ON_THEIR_WAY);
		long start = System.nanoTime();
		for (int number = 0; number < count; number++) {
			long due = start + number * 1_000_000_000L / perSecond;
			for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
				LockSupport.parkNanos(wait);
			}
			send(places, message(number));
		}
		await(places, ON_THEIR_WAY);
	}

	private OutboundMessage message(int number) {
		if (number % 10 != DELAYED) {
			return OutboundMessage.to(SoakApplication.QUEUE, Parcel.of(number, Parcel.micros()));
		}
		int millis = 1 + this.random.nextInt(LONGEST_DELAY);
		return OutboundMessage.to(SoakApplication.QUEUE, Parcel.of(number, Parcel.micros() + millis * 1000L))
			.delay(Duration.ofMillis(millis));
	}

	private void send(Semaphore places, OutboundMessage message) {
		places.acquireUninterruptibly();
		this.template.sendAsync(message).whenComplete((sent, thrown) -> {
			if (thrown != null) {
				this.failure.set(thrown);
			}
			places.release();
		});
	}

	private void await(Semaphore places, int all) {
		places.acquireUninterruptibly(all);
		Throwable thrown = this.failure.get();
		if (thrown != null) {
			throw new IllegalStateException("A send failed", thrown);
		}
	}

}
