package com.example.reminders;

public record Reminder(String to, String text) {

}
