package io.redelay.migration;

// tag::imports[]
import java.util.concurrent.TimeUnit;

import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

import org.springframework.scheduling.annotation.Scheduled;
// end::imports[]

/**
 * A scheduled method in three releases, for the guide.
 */
class ShedLockRollOver {

	static class Before {

		private final Runnable report;

		Before(Runnable report) {
			this.report = report;
		}

		// tag::before[]
		@Scheduled(cron = "0 0 * * * *")
		@SchedulerLock(name = "report", lockAtLeastFor = "5m", lockAtMostFor = "30m")
		public void report() {
			this.report.run();
		}
		// end::before[]

	}

	static class Meanwhile {

		private final Runnable report;

		Meanwhile(Runnable report) {
			this.report = report;
		}

		// tag::meanwhile[]
		@Scheduled(cron = "0 0 * * * *")
		@SchedulerLock(name = "report", lockAtLeastFor = "5m", lockAtMostFor = "30m")
		@MyLock(name = "report", lockStrategy = MyLockStrategy.SKIP_FAST, //
				minHold = 5, unit = TimeUnit.MINUTES)
		public void report() {
			this.report.run();
		}
		// end::meanwhile[]

	}

	static class After {

		private final Runnable report;

		After(Runnable report) {
			this.report = report;
		}

		// tag::after[]
		@Scheduled(cron = "0 0 * * * *")
		@MyLock(name = "report", lockStrategy = MyLockStrategy.SKIP_FAST, //
				minHold = 5, unit = TimeUnit.MINUTES)
		public void report() {
			this.report.run();
		}
		// end::after[]

	}

}
