package io.redelay.docs.recipes;

import java.util.concurrent.TimeUnit;

import io.redelay.lock.MyLock;
import io.redelay.lock.MyLockStrategy;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class Cleanup {

	private final Mailer mailer;

	Cleanup(Mailer mailer) {
		this.mailer = mailer;
	}

	@Scheduled(cron = "0 30 3 * * *", zone = "Europe/Berlin")
	@MyLock(name = "cleanup", lockStrategy = MyLockStrategy.SKIP_FAST, minHold = 10, unit = TimeUnit.MINUTES)
	public void run() {
		this.mailer.mail("cleanup", "done");
	}

}
