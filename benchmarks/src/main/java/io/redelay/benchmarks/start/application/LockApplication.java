package io.redelay.benchmarks.start.application;

import java.io.IOException;

import io.redelay.lock.MyLock;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application with the starter of locks and one locked method.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class LockApplication {

	public static void main(String... args) throws IOException, InterruptedException {
		StartedApplication.run(LockApplication.class, args, (context) -> {
		}, (context) -> context.getBean(Work.class).run());
	}

	@Bean
	Work work() {
		return new Work();
	}

	static class Work {

		@MyLock("work")
		void run() {
		}

	}

}
