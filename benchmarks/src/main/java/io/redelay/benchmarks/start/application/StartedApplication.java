package io.redelay.benchmarks.start.application;

import java.io.IOException;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

import com.sun.management.OperatingSystemMXBean;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts an application in a process of its own and prints what that took, first when it
 * is ready and has used its connection to Redis, then when it has done its work. It
 * begins the work when it reads a line.
 */
final class StartedApplication {

	private static final double MEGABYTE = 1024 * 1024;

	private StartedApplication() {
	}

	static void run(Class<?> application, String[] args, Consumer<ConfigurableApplicationContext> use,
			Consumer<ConfigurableApplicationContext> work) throws IOException, InterruptedException {
		SpringApplication spring = new SpringApplication(application);
		spring.setWebApplicationType(WebApplicationType.NONE);
		spring.setBannerMode(Banner.Mode.OFF);
		ConfigurableApplicationContext context = spring.run(args);
		use.accept(context);
		long wall = System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
		long cpu = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
		System.out.printf("ready %d %d%n", wall, cpu / 1_000_000);
		if (System.in.read() < 0) {
			return;
		}
		work.accept(context);
		int classes = settledClasses();
		int threads = ManagementFactory.getThreadMXBean().getThreadCount();
		for (int i = 0; i < 3; i++) {
			System.gc();
		}
		System.out.printf("done %d %d %d %.0f %.0f %.0f%n", classes, context.getBeanDefinitionCount(), threads,
				ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEGABYTE * 1000,
				ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getUsed() / MEGABYTE * 1000,
				resident() * 1000);
		Runtime.getRuntime().halt(0);
	}

	/**
	 * Waits until other threads load no classes either.
	 */
	private static int settledClasses() throws InterruptedException {
		ClassLoadingMXBean loading = ManagementFactory.getClassLoadingMXBean();
		int classes = loading.getLoadedClassCount();
		for (int same = 0; same < 5;) {
			Thread.sleep(100);
			int now = loading.getLoadedClassCount();
			same = (now == classes) ? same + 1 : 0;
			classes = now;
		}
		return classes;
	}

	/**
	 * Returns the memory of the process, where the system says it.
	 */
	private static double resident() throws IOException {
		Path status = Path.of("/proc/self/status");
		if (!Files.exists(status)) {
			return 0;
		}
		return Files.readAllLines(status)
			.stream()
			.filter((line) -> line.startsWith("VmRSS:"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")))
			.sum() / 1024.0;
	}

}
