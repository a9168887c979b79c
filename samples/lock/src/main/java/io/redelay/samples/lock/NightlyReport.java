package io.redelay.samples.lock;

import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Reports each night, on one instance: the lock is held for a minute at least, so that an
 * instance whose clock is behind comes too late to report again.
 */
@Component
public class NightlyReport {

	private static final Log logger = LogFactory.getLog(NightlyReport.class);

	private final AtomicInteger reports = new AtomicInteger();

	@Scheduled(cron = "0 0 3 * * *")
	@MyLock(name = "nightly-report", lockStrategy = MyLockStrategy.SKIP_FAST, minHold = 60)
	public void report() {
		logger.info("The report of the night is the " + this.reports.incrementAndGet() + ". of this instance");
	}

	int reports() {
		return this.reports.get();
	}

}
