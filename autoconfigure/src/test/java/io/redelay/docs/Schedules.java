package io.redelay.docs;

// tag::imports[]
import java.util.concurrent.TimeUnit;

import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;

import org.springframework.scheduling.annotation.Scheduled;
// end::imports[]

/**
 * The code of the chapter "Scheduled methods and ShedLock".
 */
class Schedules {

	// tag::report[]
	@Scheduled(cron = "0 0 * * * *")
	@MyLock(name = "hourly-report", lockStrategy = MyLockStrategy.SKIP_FAST, minHold = 5, unit = TimeUnit.MINUTES)
	public void report() {
		// …
	}
	// end::report[]

}
