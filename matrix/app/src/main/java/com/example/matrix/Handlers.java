package com.example.matrix;

import io.redelay.queue.Backoff;
import io.redelay.queue.QueueListener;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringTick;

import org.springframework.stereotype.Component;

/**
 * The listeners.
 */
@Component
class Handlers {

	private final Seen seen;

	private volatile boolean mended;

	Handlers(Seen seen) {
		this.seen = seen;
	}

	void mend(boolean mended) {
		this.mended = mended;
	}

	@QueueListener("plain")
	void plain(Item item) {
		this.seen.note("plain", item);
	}

	@QueueListener(queues = "retried", maxAttempts = "4")
	void retried(Item item) {
		this.seen.note("retried", item);
		if (this.seen.of("retried", item.run()).size() < 3) {
			throw new IllegalStateException("The third attempt succeeds");
		}
	}

	@QueueListener(queues = "doomed", maxAttempts = "2", backoff = @Backoff(initialInterval = "20ms"))
	void doomed(Item item) {
		this.seen.note("doomed", item);
		if (!this.mended) {
			throw new IllegalStateException("It fails until it is mended");
		}
	}

	@QueueListener(topic = "news", group = "one")
	void one(Item item) {
		this.seen.note("one", item);
	}

	@QueueListener(topic = "news", group = "two")
	void two(Item item) {
		this.seen.note("two", item);
	}

	@RecurringMessage(name = "tick", every = "1s")
	@QueueListener("ticks")
	void tick(RecurringTick tick) {
		this.seen.note("tick", new Item("tick", 0));
	}

	@QueueListener(queues = "keyed", concurrency = "8")
	void keyed(Item item) {
		this.seen.note("keyed", item);
	}

	@QueueListener(queues = "limited", concurrency = "8", rateLimit = "5/1s")
	void limited(Item item) {
		this.seen.note("limited", item);
	}

}
