package io.redelay.docs;

// tag::imports[]
import io.redelay.queue.QueueListener;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.MessageDelivery;
// end::imports[]

/**
 * What the guide shows of work that goes on where it was.
 */
class ResumedWork {

	// tag::checkpoint[]
	@QueueListener("imports")
	void importPages(Import job, Checkpoint<Position> checkpoint, MessageDelivery delivery) {
		int done = checkpoint.get().map(Position::page).orElse(0); // <1>
		for (int page = done + 1; page <= job.pages(); page++) {
			delivery.cancellation().throwIfCancelled();
			importPage(job, page);
			checkpoint.save(new Position(page)); // <2>
		}
	}

	record Position(int page) {
	}
	// end::checkpoint[]

	private static void importPage(Import job, int page) {
		System.out.println("page " + page + " of " + job.pages());
	}

	record Import(int pages) {

	}

}
