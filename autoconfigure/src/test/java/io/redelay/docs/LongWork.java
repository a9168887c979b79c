package io.redelay.docs;

// tag::imports[]
import java.util.List;
// tag::long-work-imports[]
import java.util.Optional;

import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.MessageWork;
// end::long-work-imports[]
import io.redelay.queue.admin.QueueAdmin;
// tag::long-work-imports[]
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.MessageDelivery;

import org.springframework.context.event.EventListener;
// end::long-work-imports[]

// end::imports[]

/**
 * What the guide shows of work that takes long.
 */
class LongWork {

	private final QueueAdmin admin;

	LongWork(QueueAdmin admin) {
		this.admin = admin;
	}

	// tag::cancel[]
	@QueueListener("reports")
	void report(Import job, CancellationToken cancellation) {
		for (int page = 1; page <= job.pages(); page++) {
			cancellation.throwIfCancelled();
			importPage(job, page);
		}
	}
	// end::cancel[]

	// tag::progress[]
	@QueueListener("imports")
	void importPages(Import job, MessageDelivery delivery) {
		for (int page = 1; page <= job.pages(); page++) {
			if (!importPage(job, page)) {
				delivery.log("page " + page + " has no prices, and is passed over");
			}
			delivery.progress((double) page / job.pages(), "page " + page + " of " + job.pages());
		}
	}
	// end::progress[]

	Optional<MessageWork> look(String id) {
		// tag::look[]
		Optional<MessageWork> work = this.admin.messages().find("imports", id).map(QueuedMessage::work);
		// end::look[]
		return work;
	}

	// tag::events[]
	@EventListener
	void on(MessageEvent event) {
		if (event.progress() != null) {
			show(event.id(), event.progress().fraction(), event.progress().text());
		}
	}
	// end::events[]

	private boolean importPage(Import job, int page) {
		return !job.names().isEmpty() && page > 0;
	}

	private void show(String id, double fraction, String text) {
		System.out.printf("%s: %.0f %%, %s%n", id, 100 * fraction, text);
	}

	record Import(int pages, List<String> names) {
	}

}
