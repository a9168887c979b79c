package com.example.matrix;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Uses each feature once, prints a line for each, and ends with exit code 0 if all of
 * them work.
 */
@SpringBootApplication
public class MatrixApplication {

	public static void main(String[] args) {
		ConfigurableApplicationContext context = SpringApplication.run(MatrixApplication.class, args);
		boolean passed = context.getBean(Checks.class).run();
		if (Boolean.getBoolean("matrix.restart")) {
			// What Spring does before a checkpoint, and after it.
			context.stop();
			context.start();
			passed &= context.getBean(Checks.class).run();
			System.out.println("ok restart");
		}
		context.close();
		System.exit(passed ? 0 : 1);
	}

}
