package io.redelay.queue.script.admin;

import java.util.concurrent.CompletableFuture;

import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Takes entries of former messages out of a queue's lists, in as many steps as that
 * takes, one after the other.
 * <p>
 * Safe for use by many threads.
 */
final class ListTidier {

	private static final Log logger = PlainLog.of(ListTidier.class);

	private final TidyScript script;

	private final String queue;

	private boolean busy;

	private boolean again;

	ListTidier(TidyScript script, String queue) {
		this.script = script;
		this.queue = queue;
	}

	/**
	 * Tidies, or tidies once more after the present run. If that fails, it is left to the
	 * next call.
	 */
	void tidy() {
		synchronized (this) {
			this.again = this.busy;
			if (this.busy) {
				return;
			}
			this.busy = true;
		}
		step(0).whenComplete((done, failure) -> ended(failure));
	}

	private CompletableFuture<Void> step(long from) {
		return this.script.run(this.queue, from)
			.thenCompose((next) -> next.isPresent() ? step(next.getAsLong()) : CompletableFuture.completedFuture(null));
	}

	private void ended(@Nullable Throwable failure) {
		boolean once;
		synchronized (this) {
			this.busy = false;
			once = this.again && failure == null;
			this.again = false;
		}
		if (failure != null) {
			logger.debug("The lists of the queue '" + this.queue + "' were not tidied", failure);
		}
		if (once) {
			tidy();
		}
	}

}
