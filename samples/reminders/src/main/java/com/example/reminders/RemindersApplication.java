package com.example.reminders;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class RemindersApplication {

	public static void main(String[] args) {
		SpringApplication.run(RemindersApplication.class, args);
	}

}
