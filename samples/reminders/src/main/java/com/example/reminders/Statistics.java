package com.example.reminders;

import java.util.concurrent.TimeUnit;

import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;
import io.redelay.queue.admin.QueueAdmin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
@EnableScheduling
class Statistics {

	private static final Logger logger = LoggerFactory.getLogger(Statistics.class);

	private final QueueAdmin admin;

	Statistics(QueueAdmin admin) {
		this.admin = admin;
	}

	@Scheduled(cron = "*/5 * * * * *")
	@MyLock(name = "statistics", lockStrategy = MyLockStrategy.SKIP_FAST, // <1>
			minHold = 2, unit = TimeUnit.SECONDS) // <2>
	public void report() {
		logger.info("{} reminders wait", this.admin.queues().info("reminders").scheduled());
	}

}
