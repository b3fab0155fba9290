public enum S2{}
