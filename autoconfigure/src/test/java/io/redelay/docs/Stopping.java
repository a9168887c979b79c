package io.redelay.docs;

// tag::imports[]
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.Paused;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.MessageDelivery;
// end::imports[]

/**
 * What the guide shows of handlers that stop before their end.
 */
class Stopping {

	private final Catalogue catalogue;

	Stopping(Catalogue catalogue) {
		this.catalogue = catalogue;
	}

	// tag::stopped[]
	@QueueListener("reindex")
	void reindex(String shelf, MessageDelivery delivery) {
		for (String page : this.catalogue.pages(shelf)) {
			if (delivery.cancellation().isCancelled()) {
				throw delivery.stopped(); // <1>
			}
			this.catalogue.index(page);
		}
	}
	// end::stopped[]

	// tag::paused[]
	@QueueListener("thumbnails")
	CompletableFuture<Object> thumbnails(List<String> pictures, CancellationToken token) {
		return this.catalogue.render(pictures, token::isCancelled) // <1>
			.thenApply((complete) -> complete ? "rendered" : Paused.now()); // <2>
	}

	@QueueListener("sync")
	Object sync(String shelf) {
		return this.catalogue.isBusy(shelf) ? Paused.after(Duration.ofMinutes(5)) : this.catalogue.pages(shelf); // <3>
	}
	// end::paused[]

	/**
	 * Something with pages.
	 */
	interface Catalogue {

		List<String> pages(String shelf);

		void index(String page);

		boolean isBusy(String shelf);

		CompletableFuture<Boolean> render(List<String> pictures, java.util.function.BooleanSupplier stop);

	}

}
