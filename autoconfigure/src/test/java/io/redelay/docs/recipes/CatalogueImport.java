package io.redelay.docs.recipes;

import io.redelay.queue.QueueListener;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.MessageDelivery;

import org.springframework.stereotype.Component;

@Component
class CatalogueImport {

	private final Mailer mailer;

	CatalogueImport(Mailer mailer) {
		this.mailer = mailer;
	}

	@QueueListener(queues = "catalogue-imports", resetAttemptsOnProgress = "true")
	void run(Catalogue catalogue, Checkpoint<Integer> checkpoint, MessageDelivery delivery) {
		int done = checkpoint.get().orElse(0); // <1>
		for (int page = done + 1; page <= catalogue.pages(); page++) {
			delivery.cancellation().throwIfCancelled(); // <2>
			this.mailer.mail("import", catalogue.name() + " page " + page);
			checkpoint.save(page); // <3>
			delivery.progress((double) page / catalogue.pages(), "page " + page); // <4>
		}
	}

	record Catalogue(String name, int pages) {
	}

}
