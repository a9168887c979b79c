package com.example.shop;

import java.time.Duration;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

@SpringBootApplication
public class ShopApplication {

	public static void main(String[] args) {
		SpringApplication.run(ShopApplication.class, args);
	}

	@Bean
	ApplicationRunner firstOrder(PaymentTimeout timeout) {
		return (args) -> timeout.start("order-7");
	}

}

@Component
class PaymentTimeout {

	private static final Logger logger = LoggerFactory.getLogger(PaymentTimeout.class);

	private final QueueOperations queues;

	PaymentTimeout(QueueOperations queues) {
		this.queues = queues;
	}

	void start(String orderId) {
		this.queues.send("unpaid-orders", new TimeIsUp(orderId), Duration.ofSeconds(5));
	}

	@QueueListener("unpaid-orders")
	void cancel(TimeIsUp message) {
		logger.info("Nobody paid {} in time", message.orderId());
	}

	record TimeIsUp(String orderId) {

	}

}
