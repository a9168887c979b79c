package io.redelay.migration;

// tag::send-imports[]
// tag::move-imports[]
import java.time.Duration;
// end::move-imports[]
import java.time.Instant;

// end::send-imports[]
// tag::move-imports[]
import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
// tag::send-imports[]
import org.jobrunr.jobs.annotations.Job;
// end::move-imports[]
import org.jobrunr.scheduling.JobScheduler;
// end::send-imports[]
// tag::move-imports[]
import org.jobrunr.server.runner.ThreadLocalJobContext;
// end::move-imports[]

/**
 * Runs jobs by JobRunr, and moves them, for the guide.
 */
class JobOrders {

	static class Before {

		// tag::send[]
		private final JobScheduler jobs;

		// end::send[]
		Before(JobScheduler jobs) {
			this.jobs = jobs;
		}

		// tag::send[]
		void start(String orderId) {
			this.jobs.schedule(Instant.now().plus(Duration.ofMinutes(30)), () -> cancel(orderId));
		}

		@Job(retries = 5)
		public void cancel(String orderId) {
			// …
		}
		// end::send[]

	}

	static class Meanwhile {

		private final QueueOperations queues;

		Meanwhile(QueueOperations queues) {
			this.queues = queues;
		}

		// tag::move[]
		@Job(retries = 100)
		public void cancel(String orderId) {
			String job = ThreadLocalJobContext.getJobContext().getJobId().toString();
			this.queues.send(OutboundMessage.to("payment-timeout", new TimeIsUp(orderId))
				.id(job)
				.deduplicate(Deduplication.firstWins(job, Duration.ofDays(1))));
		}
		// end::move[]

	}

}
