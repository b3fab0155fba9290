public enum S2 {}
