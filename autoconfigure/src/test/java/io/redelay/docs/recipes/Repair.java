package io.redelay.docs.recipes;

import java.net.SocketTimeoutException;

import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.RedriveResult;

import org.springframework.stereotype.Component;

@Component
class Repair {

	private final DeadLetterAdmin deadLetters;

	Repair(DeadLetterAdmin deadLetters) {
		this.deadLetters = deadLetters;
	}

	long timeouts() {
		RedriveResult result = this.deadLetters.redrive("transfers",
				DeadLetterFilter.all().exception(SocketTimeoutException.class.getName()), 20); // <1>
		return result.redriven();
	}

}
