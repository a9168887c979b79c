package io.redelay.docs;

import java.util.List;

import io.redelay.queue.RetryListener;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The code of the chapter "Dead letters".
 */
@Configuration(proxyBeanMethods = false)
class DeadLetters {

	// tag::trimmed[]
	@Bean
	RetryListener trimmed(Orders orders) {
		return new RetryListener() {

			@Override
			public void onTrimmed(String queue, List<String> uids) {
				orders.tell("removed " + uids.size() + " dead of " + queue);
			}

		};
	}
	// end::trimmed[]

}
