package io.redelay.samples.lock;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * An application of which many instances run, and one of them reports each night.
 */
@SpringBootApplication
@EnableScheduling
public class ReportApplication {

	public static void main(String[] arguments) {
		SpringApplication.run(ReportApplication.class, arguments);
	}

}
