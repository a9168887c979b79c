package io.redelay.migration;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.redelay.queue.QueueListener;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * The application that messages come to.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class TestApplication {

	@Bean
	Handled handled() {
		return new Handled();
	}

	@Bean
	Reports reports() {
		return new Reports();
	}

	/**
	 * What was handled.
	 */
	static class Handled {

		private final Collection<String> values = new ConcurrentLinkedQueue<>();

		@QueueListener(queues = "handled", concurrency = "4")
		void handle(String value) {
			this.values.add(value);
		}

		List<String> of(String queue) {
			return this.values.stream().filter((value) -> value.startsWith(queue)).toList();
		}

	}

}
